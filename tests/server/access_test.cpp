// Keys, rates, quotas, origins.
#include "heed/server/access.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "server_fixture.h"

namespace heed {
namespace {

using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

// Of the keys "secret" and "other".
constexpr const char* key_file =
    "# who may translate\n"
    "alice 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n"
    "\n"
    "bob d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa rate=2 quota=9\n";

class AccessTest : public testing::ServerTest {
 protected:
  void start_with_keys() {
    folder_.put("keys", key_file);
    start(
        [&](ServerSettings& settings) { settings.service.access.key_file = folder_.path("keys"); });
  }
  HttpAnswer translate(const Json& more, const std::string& headers = "") const {
    Json body = {{"q", "ba"}, {"source", "en"}, {"target", "de"}};
    if (more.is_object()) body.update(more);
    return post("/translate", body, headers);
  }
};

TEST_F(AccessTest, OnlyTheRightKeyOpens) {
  start_with_keys();
  EXPECT_EQ(translate({}).status, 400);
  EXPECT_EQ(json_of(translate({}))["error"],
            "Please contact the server operator to get an API key");
  EXPECT_EQ(json_of(translate({{"api_key", "wrong"}}))["error"], "Invalid API key");
  EXPECT_EQ(translate({{"api_key", "wrong"}}).status, 403);
  EXPECT_EQ(translate({{"api_key", "secret"}}).status, 200);
  EXPECT_EQ(translate({{"apiKey", "secret"}}).status, 200);
  EXPECT_EQ(translate({}, "Authorization: Bearer secret\r\n").status, 200);
  EXPECT_EQ(translate({}, "Authorization: Bearer secre\r\n").status, 403);
  const Json text = {{"text", {"ba"}}, {"target_lang", "DE"}, {"source_lang", "EN"}};
  EXPECT_EQ(post("/v2/translate", text, "Authorization: DeepL-Auth-Key secret\r\n").status, 200);
  EXPECT_EQ(post("/v2/translate", text, "Authorization: DeepL-Auth-Key x\r\n").status, 403);
  EXPECT_EQ(post("/v2/translate", text).status, 403);
  EXPECT_EQ(post("/v1/translate", {{"text", "ba"}, {"source", "en"}, {"target", "de"}}).status,
            403);
  EXPECT_EQ(get("/v2/usage").status, 403);
  EXPECT_EQ(get("/health").status, 200);
  EXPECT_EQ(get("/languages").status, 200);
}

TEST_F(AccessTest, AKeyHasItsRateAndItsQuota) {
  start_with_keys();
  EXPECT_EQ(translate({{"api_key", "other"}, {"q", "ba ko ri"}}).status, 200);
  const HttpAnswer too_much = translate({{"api_key", "other"}});
  EXPECT_EQ(too_much.status, 429);
  EXPECT_EQ(json_of(too_much)["error"], "Quota Exceeded");
  EXPECT_GT(std::stoi(too_much.headers.at("retry-after")), 0);
  const HttpAnswer too_fast = translate({{"api_key", "other"}});
  EXPECT_EQ(too_fast.status, 429);
  EXPECT_EQ(json_of(too_fast)["error"], "Slowdown: 2 per 1 minute");
  EXPECT_GT(std::stoi(too_fast.headers.at("retry-after")), 0);
  EXPECT_EQ(translate({{"api_key", "secret"}}).status, 200);
}

TEST_F(AccessTest, AQuotaHasAStatusOfItsOwn) {
  start([](ServerSettings& settings) { settings.service.access.allowed.quota = 3; });
  EXPECT_EQ(post("/v1/translate", {{"text", "ba ko"}, {"source", "en"}, {"target", "de"}}).status,
            456);
  const Json text = {{"text", {"ba ko"}}, {"target_lang", "DE"}, {"source_lang", "EN"}};
  EXPECT_EQ(post("/v2/translate", text).status, 456);
  EXPECT_EQ(json_of(get("/v2/usage"))["character_limit"], 3);
}

TEST_F(AccessTest, ANetworkOfAddressesIsOneClient) {
  start([](ServerSettings& settings) {
    settings.service.access.allowed.rate = 1;
    settings.service.access.trusts_proxy = true;
  });
  const auto status = [&](const std::string& address) {
    return translate({}, "X-Forwarded-For: " + address + "\r\n").status;
  };
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {"2001:db8::a:b:c:1", "2001:db8::a:d:e:2"},
           {"2001:db8::1", "2001:db8:0:0:f::2"},
           {"2001:db8:1::1", "2001:db8:1:0:2:3:4:5"},
           {"2001:DB8:2:3::1", "2001:0db8:0002:0003::2"},
           {"[2001:db8:4::1]:50123", "2001:db8:4::2"},
           {"10.0.0.1", "::ffff:10.0.0.1"},
           {"10.0.0.3", "::ffff:a00:3"}}) {
    const bool is_seen = first == "2001:db8::1";  // the network of the first pair
    EXPECT_EQ(status(first), is_seen ? 429 : 200) << first;
    EXPECT_EQ(status(second), 429) << second;
  }
  for (const char* other : {"2001:db8:0:1::1", "2001:db9::1", "10.0.0.2", "unknown"})
    EXPECT_EQ(status(other), 200) << other;
}

TEST_F(AccessTest, ChangedKeysAreTakenIn) {
  start_with_keys();
  folder_.put("keys", "");
  server_->reload();
  EXPECT_EQ(translate({{"api_key", "secret"}}).status, 403);
  folder_.put("keys", "not a line\n");
  server_->reload();
  EXPECT_EQ(translate({{"api_key", "secret"}}).status, 403);
  folder_.put("keys", key_file);
  server_->reload();
  EXPECT_EQ(translate({{"api_key", "secret"}}).status, 200);
}

TEST_F(AccessTest, OnlyNamedOriginsAreAllowed) {
  start([](ServerSettings& settings) { settings.origins = {"https://a.example"}; });
  const auto allowed = [&](const std::string& origin) {
    const HttpAnswer answer = translate({}, "Origin: " + origin + "\r\n");
    const auto found = answer.headers.find("access-control-allow-origin");
    return found == answer.headers.end() ? "" : found->second;
  };
  EXPECT_EQ(allowed("https://a.example"), "https://a.example");
  EXPECT_EQ(allowed("https://a.example.evil"), "");
  EXPECT_EQ(
      translate({}, "Origin: https://a.example\r\n").headers.at("access-control-expose-headers"),
      "Heed-Reported, Retry-After");
  EXPECT_EQ(allowed("null"), "");
  const HttpAnswer preflight =
      ask(testing::http_request("OPTIONS", "/translate", "", "", "Origin: https://a.example\r\n"));
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.headers.at("access-control-allow-methods"), "GET, POST");
}

TEST(ApiKeys, SaysWhichLineIsWrong) {
  const auto error = [](const std::string& text) {
    return testing::error_of([&] { ApiKeys::parse(text, "keys"); });
  };
  EXPECT_EQ(error("# fine\n\nalice\n"), "keys:3: a name and the SHA-256 of a key were expected");
  EXPECT_EQ(error("alice 12\n"), "keys:1: the second word is not a SHA-256, which has 64 digits");
  const std::string hash(64, 'a');
  EXPECT_EQ(error("alice " + hash + " speed=1\n"),
            "keys:1: \"speed=1\" but rate=N or quota=N was expected");
  EXPECT_EQ(error("alice " + hash + "\nalice " + hash + "\n"),
            "keys:2: there are two keys of the name \"alice\"");
}

TEST(UsageLimits, ARateAllowsAMinutesWorthAndThenASteadyStream) {
  UsageLimits::Clock::time_point now{std::chrono::hours(24 * 365 * 50)};
  UsageLimits limits([&] { return now; });
  const AllowedUse allowed{.rate = 3};
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(limits.ask("a", allowed));
  EXPECT_EQ(limits.ask("a", allowed), std::chrono::seconds(20));
  EXPECT_FALSE(limits.ask("b", allowed));
  now += std::chrono::seconds(20);
  EXPECT_FALSE(limits.ask("a", allowed));
  EXPECT_TRUE(limits.ask("a", allowed));
}

TEST(UsageLimits, AQuotaIsNotForgottenForOthers) {
  UsageLimits::Clock::time_point now{std::chrono::sys_days{std::chrono::year(2026) / 1 / 10}};
  UsageLimits limits([&] { return now; });
  const AllowedUse allowed{.rate = {}, .quota = 10};
  EXPECT_TRUE(limits.use("a", allowed, 10));
  for (int i = 0; i < 100'010; ++i) limits.use(std::to_string(i), allowed, 1);
  EXPECT_EQ(limits.used("a"), 10);
}

TEST(UsageLimits, AQuotaIsForAMonth) {
  UsageLimits::Clock::time_point now{std::chrono::sys_days{std::chrono::year(2026) / 1 / 31}};
  UsageLimits limits([&] { return now; });
  const AllowedUse allowed{.rate = {}, .quota = 10};
  EXPECT_TRUE(limits.use("a", allowed, 6));
  EXPECT_FALSE(limits.use("a", allowed, 5));
  EXPECT_TRUE(limits.use("a", allowed, 4));
  EXPECT_EQ(limits.used("a"), 10);
  EXPECT_TRUE(limits.use("b", allowed, 10));
  EXPECT_EQ(limits.until_next_month(), std::chrono::hours(24));
  now += std::chrono::hours(24);
  EXPECT_EQ(limits.until_next_month(), std::chrono::hours(24 * 28));
  EXPECT_EQ(limits.used("a"), 0);
  EXPECT_TRUE(limits.use("a", allowed, 10));
}

}  // namespace
}  // namespace heed
