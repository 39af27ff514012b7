// Hundreds of requests that no honest client sends: each gets a status that blames the client, and
// the server goes on.
#include <gtest/gtest.h>

#include "server_fixture.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

class HostileRequestsTest : public testing::ServerTest {
 protected:
  ~HostileRequestsTest() override {
    // After all that, it translates as if nothing had been.
    const HttpAnswer answer =
        post("/translate", {{"q", "ba ko"}, {"source", "en"}, {"target", "de"}});
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(json_of(answer)["translatedText"], translated("en-de", "ba ko").front().text);
  }

  void expect_status(const std::string& request, std::vector<int> allowed) {
    ++sent_;
    const HttpAnswer answer = ask(request);
    EXPECT_NE(std::ranges::find(allowed, answer.status), allowed.end())
        << answer.status << " for\n"
        << request.substr(0, 500) << "\n"
        << answer.body.substr(0, 500);
    if (answer.status >= 400) {
      EXPECT_TRUE(answer.body.starts_with('{')) << answer.body;
    }
  }
  void expect_refusal(const std::string& request) {
    expect_status(request, {400, 403, 404, 405, 413, 415, 431, 501, 505});
  }

  int sent_ = 0;
};

TEST_F(HostileRequestsTest, PathsThatLeadNowhere) {
  start();
  for (const char* path : {"/../etc/passwd",
                           "/..%2f..%2fetc/passwd",
                           "/%2e%2e/%2e%2e/etc/passwd",
                           "//etc/passwd",
                           "/./translate",
                           "/translate/",
                           "/translate/..",
                           "/translate%00",
                           "/TRANSLATE",
                           "/v1",
                           "/v1/",
                           "/v1/models/",
                           "/v1/models/x",
                           "/v1/models/en-de",
                           "/v1/models/en-de/curves/x",
                           "/v1/models/..%2f..%2fetc/curves",
                           "/v1/models/%2e%2e/curves",
                           "/v2",
                           "/v2/document",
                           "/v2/glossaries/x",
                           "/v3/languages",
                           "/.git/config",
                           "/index.php",
                           "/wp-login.php",
                           "/assets/../../x",
                           "/\\..\\..\\windows",
                           "/%c0%ae%c0%ae/",
                           "/..;/x",
                           "/~root",
                           "/translate;x=1",
                           "/%2ftranslate",
                           "/languages/en",
                           "/health/x",
                           "/metrics/x"})
    for (const char* method : {"GET", "POST", "PUT", "DELETE"})
      expect_refusal(http_request(method, path));
  EXPECT_GE(sent_, 100);
}

TEST_F(HostileRequestsTest, MethodsThatDoNotFit) {
  start();
  for (const char* path : {"/translate", "/detect", "/v1/translate", "/v2/translate",
                           "/v1/attention", "/languages", "/health", "/metrics"})
    for (const char* method : {"PUT", "DELETE", "PATCH", "TRACE", "CONNECT", "PROPFIND", "FOO"})
      expect_status(http_request(method, path), {405, 400});
  EXPECT_GE(sent_, 50);
}

TEST_F(HostileRequestsTest, ValuesOfTheWrongKind) {
  start();
  const std::vector<std::string> values = {
      "null",   "true",        "-1",         "1e308",     "1e999", "99999999999999999999999",
      "0.5",    "[]",          "[1]",        "[[\"a\"]]", "{}",    "{\"a\":{\"b\":1}}",
      "[null]", "\"\\u0000\"", "\"\\ud800\""};
  const auto body = [](const std::string& api, const std::string& field, const std::string& value) {
    std::map<std::string, std::string> fields;
    if (api == "/translate")
      fields = {{"q", "\"ba\""}, {"source", "\"en\""}, {"target", "\"de\""}};
    else if (api == "/v2/translate")
      fields = {{"text", "[\"ba\"]"}, {"source_lang", "\"en\""}, {"target_lang", "\"de\""}};
    else
      fields = {{"text", "\"ba\""}, {"source", "\"en\""}, {"target", "\"de\""}};
    fields[field] = value;
    std::string text;
    for (const auto& [name, json] : fields)
      text += (text.empty() ? "{\"" : ",\"") + name + "\":" + json;
    return text + "}";
  };
  const std::vector<std::pair<std::string, std::vector<std::string>>> fields = {
      {"/translate", {"q", "source", "target", "format", "alternatives", "api_key"}},
      {"/v2/translate",
       {"text", "source_lang", "target_lang", "formality", "split_sentences", "tag_handling"}},
      {"/v1/translate",
       {"text", "source", "target", "beam", "nbest", "max-length", "length-penalty", "sample",
        "without", "details", "pivot", "format", "tag"}},
      {"/v1/attention", {"text", "source", "target", "translation", "without", "beam", "tag"}}};
  for (const auto& [api, names] : fields)
    for (const std::string& name : names)
      for (const std::string& value : values)
        expect_status(http_request("POST", api, body(api, name, value), json_type), {200, 400});
  EXPECT_GE(sent_, 300);
}

TEST_F(HostileRequestsTest, BodiesThatAreNoJson) {
  start();
  const std::string deep(100'000, '['), deep_object = [] {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += "{\"q\":";
    return text;
  }();
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("}"), std::string("[]"), std::string("1"),
        std::string("null"), std::string("{\"q\":\"ba\""), std::string("{'q':'ba'}"),
        std::string("{\"q\":\"\xff\xfe\"}"), std::string("\xef\xbb\xbf{}x"),
        std::string("{\"q\":\"a\0b\"}", 11), std::string("{\"q\":NaN}"), deep, deep_object,
        deep + std::string(100'000, ']'), std::string("{\"a\":1}{\"b\":2}")})
    for (const char* api : {"/translate", "/detect", "/v1/translate", "/v2/translate"})
      expect_refusal(http_request("POST", api, text, json_type));
}

TEST_F(HostileRequestsTest, BodiesThatAreNoForms) {
  start();
  for (const std::string& text :
       {std::string("q=%"), std::string("q=%z"), std::string("q=%zz"), std::string("q=%ff"),
        std::string("%=1"), std::string("&&&&"), std::string("="), std::string("q"),
        std::string(1'000, '&') + "q", [] {
          std::string many;
          for (int i = 0; i < 2'000; ++i) many += "a=b&";
          return many;
        }()})
    for (const char* api : {"/translate", "/v1/translate", "/v2/translate"})
      expect_refusal(http_request("POST", api, text, form_type));
  for (const char* type : {"multipart/form-data", "multipart/form-data; boundary=",
                           "multipart/form-data; boundary=\"", "text/plain", "application/xml",
                           "multipart/form-data; boundary=x", "application/octet-stream"})
    for (const char* text : {"--", "--x", "--x--", "--x\r\n", "--x\r\n\r\n", "--x\r\n\r\n--x--",
                             "--x\r\nContent-Disposition: form-data\r\n\r\nba\r\n--x--",
                             "--x\r\nContent-Disposition: form-data; name=\"q\r\n\r\nba", "x"})
      expect_refusal(http_request("POST", "/translate", text, type));
}

TEST_F(HostileRequestsTest, MoreThanIsAllowed) {
  start([](ServerSettings& settings) {
    settings.service.limits.characters = 100;
    settings.service.limits.texts = 3;
  });
  const std::string long_text(101, 'a');
  const std::vector<std::string> many(4, "a");
  for (const auto& text :
       {Json(long_text), Json(many), Json({std::string(60, 'a'), std::string(60, 'b')})}) {
    expect_refusal(http_request("POST", "/translate",
                                Json({{"q", text}, {"source", "en"}, {"target", "de"}}).dump(),
                                json_type));
    expect_refusal(http_request("POST", "/v1/translate",
                                Json({{"text", text}, {"source", "en"}, {"target", "de"}}).dump(),
                                json_type));
    expect_refusal(http_request(
        "POST", "/v2/translate",
        Json({{"text", text}, {"source_lang", "en"}, {"target_lang", "de"}}).dump(), json_type));
  }
}

TEST_F(HostileRequestsTest, TextsAreInert) {
  start();
  for (const char* text : {"<script>alert(1)</script>", "\"}],\"x\":[{\"", "'; DROP TABLE keys; --",
                           "${jndi:ldap://x}", "\x01\x02\x7f", "\xe2\x80\xae reversed", "{{7*7}}",
                           "%s%n%x", "\r\nSet-Cookie: a=b\r\n\r\n"}) {
    const HttpAnswer answer = post("/translate", {{"q", text}, {"source", "en"}, {"target", "de"}});
    EXPECT_EQ(answer.status, 200) << text;
    EXPECT_EQ(answer.headers.count("set-cookie"), 0u);
    EXPECT_EQ(answer.headers.at("x-content-type-options"), "nosniff");
    const HttpAnswer error = post("/translate", {{"q", "ba"}, {"source", text}, {"target", "de"}});
    EXPECT_EQ(error.status, 400) << text;
    EXPECT_EQ(error.headers.count("set-cookie"), 0u);
    json_of(error);
  }
}

}  // namespace
}  // namespace heed
