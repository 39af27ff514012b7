// The server as a whole: being ready, overload, reloading, ending, what it says about itself.
#include "heed/server/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "error_of.h"
#include "heed/base/error.h"
#include "server_fixture.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::HttpClient;
using testing::json_of;
using Json = nlohmann::json;
using namespace std::chrono_literals;

class WholeServerTest : public testing::ServerTest {
 protected:
  // That takes a while.
  static std::string many_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format("ba ko ri {}\n", i);
    return text;
  }
  static Json question(const std::string& text = "ba ko") {
    return {{"q", text}, {"source", "en"}, {"target", "de"}};
  }
};

TEST_F(WholeServerTest, IsReadyWhenItsModelsAreLoaded) {
  put_pair("en-de");
  ServerSettings settings;
  settings.http.port = 0;
  settings.service.models = {named_folder(folder_.path("en-de"))};
  server_ = std::make_unique<Server>(settings);
  EXPECT_EQ(get("/live").status, 200);
  const HttpAnswer unready = get("/health");
  EXPECT_EQ(unready.status, 503);
  EXPECT_EQ(json_of(unready), Json({{"status", "loading"}}));
  EXPECT_EQ(unready.headers.at("retry-after"), "1");
  const HttpAnswer early = post("/translate", question());
  EXPECT_EQ(early.status, 503);
  EXPECT_EQ(early.headers.at("retry-after"), "1");
  server_->load_models();
  EXPECT_EQ(json_of(get("/health")), Json({{"status", "ok"}}));
  EXPECT_EQ(post("/translate", question()).status, 200);
}

TEST_F(WholeServerTest, RefusesWhatItCannotServe) {
  put_pair("model");
  const std::string nameless = folder_.path("model");
  EXPECT_NE(testing::error_of([&] {
              named_folder(nameless);
            }).find("name them, as in --model en-de=" + nameless),
            std::string::npos);
  EXPECT_EQ(named_folder("en-zh-Hans=" + nameless).languages.target, "zh-Hans");
  EXPECT_EQ(named_folder("a/opus-mt-en-de/").languages, (LanguagePair{"en", "de"}));
  ServerSettings settings;
  settings.http.port = 0;
  settings.service.models = {named_folder("en-de=" + nameless), named_folder("en-de=" + nameless)};
  Server server(settings);
  EXPECT_NE(testing::error_of([&] { server.load_models(); }).find("both translate en-de"),
            std::string::npos);
}

TEST_F(WholeServerTest, SaysThatABodyMustNotBeCompressed) {
  start();
  const HttpAnswer answer = post("/translate", question(), "Content-Encoding: gzip\r\n");
  EXPECT_EQ(answer.status, 415);
  EXPECT_EQ(json_of(answer)["error"], "Invalid request: the body must not be compressed");
  EXPECT_EQ(post("/translate", question(), "Content-Encoding: identity\r\n").status, 200);
}

TEST_F(WholeServerTest, ManyClientsGetTheirOwnTranslations) {
  start([](ServerSettings& settings) {
    settings.service.threads = 2;
    settings.http.threads = 2;
  });
  std::vector<std::string> texts, expected;
  for (const char* first : {"ba", "ko", "ri", "no"})
    for (const char* second : {"ba", "ko", "ri", "no"}) {
      texts.push_back(std::string(first) + " " + second);
      expected.push_back(translated("en-de", texts.back()).front().text);
    }
  std::atomic<int> right = 0;
  std::vector<std::thread> clients;
  for (size_t client = 0; client < 8; ++client)
    clients.emplace_back([&, client] {
      HttpClient connection(server_->port());
      for (size_t i = 0; i < texts.size(); ++i) {
        const size_t chosen = (i + client) % texts.size();
        connection.send(
            http_request("POST", "/translate", question(texts[chosen]).dump(), json_type));
        const HttpAnswer answer = connection.receive();
        if (answer.status == 200 && Json::parse(answer.body)["translatedText"] == expected[chosen])
          ++right;
      }
    });
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 8 * 16);
}

TEST_F(WholeServerTest, RefusesAtOverloadAndSaysWhenToComeBack) {
  start([](ServerSettings& settings) { settings.service.limits.queue = 1; });
  const std::string slow =
      http_request("POST", "/translate", question(many_lines(5000)).dump(), json_type);
  HttpClient first(server_->port());
  first.send(slow);
  const auto is_running = [&] {
    return get("/metrics").body.find("\nheed_requests_in_flight 1\n") != std::string::npos;
  };
  for (int i = 0; i < 10000 && !is_running(); ++i) std::this_thread::sleep_for(1ms);
  const HttpAnswer answer = post("/translate", question());
  EXPECT_EQ(answer.status, 503) << answer.body;
  EXPECT_EQ(answer.headers.at("retry-after"), "1");
  first.hang_up();
  // What nobody waits for is given up, and there is room again.
  int status = 0;
  for (int i = 0; i < 2000 && status != 200; ++i) {
    status = post("/translate", question()).status;
    if (status != 200) std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(status, 200);
}

TEST_F(WholeServerTest, ATranslationThatTakesTooLongIsGivenUp) {
  start([](ServerSettings& settings) { settings.service.limits.time = 1ms; });
  const HttpAnswer answer = post("/translate", question(many_lines(1000)));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(json_of(answer)["error"], "the translation was not done in time");
}

TEST_F(WholeServerTest, TakesInAChangedModelWithoutDroppingARequest) {
  start();
  const std::string before = translated("en-de", "ba ko").front().text;
  EXPECT_FALSE(server_->models_have_changed());
  std::atomic<bool> ends = false;
  std::atomic<int> asked = 0, answered = 0;
  std::thread client([&] {
    HttpClient connection(server_->port());
    while (!ends) {
      ++asked;
      connection.send(http_request("POST", "/translate", question().dump(), json_type));
      if (connection.receive().status == 200) ++answered;
    }
  });
  put_pair("en-de", 99);
  std::filesystem::last_write_time(folder_.path("en-de/model.safetensors"),
                                   std::filesystem::file_time_type::clock::now() + 1h);
  EXPECT_TRUE(server_->models_have_changed());
  server_->reload();
  EXPECT_FALSE(server_->models_have_changed());
  const std::string after = translated("en-de", "ba ko").front().text;
  EXPECT_NE(after, before);
  EXPECT_EQ(json_of(post("/translate", question()))["translatedText"], after);
  ends = true;
  client.join();
  EXPECT_EQ(answered, asked);
  // A folder that is broken leaves the model that is there.
  folder_.put("en-de/config.json", "{");
  server_->reload();
  EXPECT_EQ(json_of(post("/translate", question()))["translatedText"], after);
}

TEST_F(WholeServerTest, LetsGoOfAModelWithItsLastRequest) {
  put_pair("en-de");
  Service service({.models = {named_folder(folder_.path("en-de"))}});
  service.load();
  ModelPath path = service.models()->path({"en", "de"}, false);
  const std::weak_ptr<const ServedModel> old = path.front();
  const std::weak_ptr<const Translator> translator = path.front()->variant({})->translator;
  put_pair("en-de", 7);
  std::filesystem::last_write_time(
      folder_.path("en-de/config.json"),
      std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  service.load();
  EXPECT_NE(service.models()->path({"en", "de"}, false), path);
  EXPECT_FALSE(old.expired());
  path.clear();
  EXPECT_TRUE(old.expired());
  EXPECT_TRUE(translator.expired());
}

TEST_F(WholeServerTest, ModelsShareEqualVocabularies) {
  put_pair("en-de", 5);
  put_pair("de-en", 6);
  Service service(
      {.models = {named_folder(folder_.path("en-de")), named_folder(folder_.path("de-en"))}});
  service.load();
  const auto vocabulary = [&](const LanguagePair& languages) {
    return &service.models()->path(languages, false).front()->source().bytes();
  };
  EXPECT_EQ(vocabulary({"en", "de"}), vocabulary({"de", "en"}));
  // Also one that is loaded later, with one that stays.
  put_pair("de-en", 7);
  std::filesystem::last_write_time(
      folder_.path("de-en/config.json"),
      std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  const auto* before = vocabulary({"en", "de"});
  service.load();
  EXPECT_EQ(vocabulary({"en", "de"}), before);
  EXPECT_EQ(vocabulary({"de", "en"}), before);
}

TEST_F(WholeServerTest, DrainingAnswersWhatIsBeingTranslated) {
  start();
  HttpClient client(server_->port());
  client.send(http_request("POST", "/translate", question(many_lines(200)).dump(), json_type));
  HttpClient other(server_->port());
  other.send(http_request("GET", "/live"));
  EXPECT_EQ(other.receive().status, 200);
  other.hang_up();
  std::thread draining([&] { server_->drain(); });
  EXPECT_EQ(client.receive().status, 200);
  client.hang_up();
  draining.join();
}

TEST_F(WholeServerTest, CountsForPrometheus) {
  start();
  post("/translate", question("ba ko"));
  post("/translate", {});
  get("/nowhere");
  const HttpAnswer answer = get("/metrics");
  EXPECT_EQ(answer.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* line :
       {R"(heed_http_requests_total{route="/translate",method="POST",status="200"} 1)",
        R"(heed_http_requests_total{route="/translate",method="POST",status="400"} 1)",
        R"(heed_http_requests_total{route="none",method="GET",status="404"} 1)",
        R"(heed_http_request_duration_seconds_bucket{route="/translate",le="+Inf"} 2)",
        R"(heed_http_request_duration_seconds_count{route="/translate"} 2)",
        R"(heed_translated_characters_total{languages="en-de"} 5)",
        R"(heed_translated_sentences_total{languages="en-de"} 1)", "heed_models 2", "heed_ready 1",
        "# TYPE heed_http_request_duration_seconds histogram"})
    EXPECT_NE(answer.body.find(std::string(line) + "\n"), std::string::npos) << line;
}

TEST_F(WholeServerTest, DescribesEveryRoute) {
  start();
  const Json document = json_of(get("/v1/openapi.json"));
  EXPECT_EQ(document["openapi"], "3.0.3");
  for (const char* path : {"/translate", "/detect", "/languages", "/v2/translate", "/v1/translate",
                           "/v1/attention", "/v1/models/{name}/curves", "/health", "/metrics"})
    EXPECT_TRUE(document["paths"].contains(path)) << path;
  EXPECT_EQ(document["paths"]["/translate"]["post"]["requestBody"]["content"]["application/json"]
                    ["schema"]["required"],
            Json({"q", "source", "target"}));
  const Json& file = document["paths"]["/v1/documents"]["post"]["requestBody"]["content"];
  EXPECT_EQ(file.size(), 1u);
  EXPECT_EQ(file["multipart/form-data"]["schema"]["properties"]["file"]["format"], "binary");
  EXPECT_EQ(json_of(get("/spec")), document);
  EXPECT_EQ(get("/").status, 200);
}

TEST_F(WholeServerTest, LogsRequestsWithoutTextsOrKeys) {
  std::mutex mutex;
  std::string log;
  folder_.put("keys", "alice 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n");
  start([&](ServerSettings& settings) {
    settings.service.access.key_file = folder_.path("keys");
    settings.log = [&](const std::string& line) {
      const std::lock_guard lock(mutex);
      log += line;
    };
  });
  Json body = question("ba ko");
  body["api_key"] = "secret";
  EXPECT_EQ(post("/translate", body).status, 200);
  server_->drain();
  const Json line = Json::parse(log);
  EXPECT_EQ(line["route"], "/translate");
  EXPECT_EQ(line["status"], 200);
  EXPECT_EQ(line["key"], "alice");
  EXPECT_EQ(line["characters"], 5);
  EXPECT_EQ(log.find("secret"), std::string::npos);
  EXPECT_EQ(log.find("ba ko"), std::string::npos);
}

TEST_F(WholeServerTest, LogsWhoAsked) {
  std::mutex mutex;
  std::vector<std::string> addresses;
  start([&](ServerSettings& settings) {
    settings.service.access.trusts_proxy = true;
    settings.log = [&](const std::string& line) {
      const std::lock_guard lock(mutex);
      addresses.push_back(Json::parse(line)["address"]);
    };
  });
  post("/translate", question(), "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\n");
  post("/translate", question());
  ask("nonsense\r\n\r\n");
  server_->drain();
  EXPECT_EQ(addresses, (std::vector<std::string>{"10.0.0.2", "127.0.0.1", "127.0.0.1"}));
}

}  // namespace
}  // namespace heed
