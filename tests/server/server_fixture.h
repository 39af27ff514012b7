// A server in this process, on any free port, with small models.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "heed/server/server.h"
#include "http_client.h"
#include "nlohmann/json.hpp"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed::testing {

class ServerTest : public ::testing::Test {
 protected:
  static constexpr const char* json_type = "application/json";
  static constexpr const char* form_type = "application/x-www-form-urlencoded";

  void put_pair(const std::string& name, uint64_t seed = 5) const {
    put_model(folder_.path(name), seed, small_config(), short_lengths);
  }

  // With models from English to German and back, unless `change` wants others.
  void start(const std::function<void(ServerSettings&)>& change = {}) {
    put_pair("en-de", 5);
    put_pair("de-en", 6);
    ServerSettings settings;
    settings.http.port = 0;
    settings.service.models = {named_folder(folder_.path("en-de")),
                               named_folder(folder_.path("de-en"))};
    if (change) change(settings);
    server_ = std::make_unique<Server>(std::move(settings));
    server_->load_models();
  }

  HttpAnswer ask(const std::string& request, bool is_head = false) const {
    HttpClient client(server_->port());
    EXPECT_TRUE(client.send(request));
    return client.receive(is_head);
  }
  HttpAnswer get(const std::string& target) const { return ask(http_request("GET", target)); }
  HttpAnswer post(const std::string& target, const nlohmann::json& body,
                  const std::string& headers = "") const {
    return ask(http_request("POST", target, body.dump(), json_type, headers));
  }
  HttpAnswer post_form(const std::string& target, const std::string& body) const {
    return ask(http_request("POST", target, body, form_type));
  }

  // What the translator itself makes of a line.
  std::vector<Translation> translated(const std::string& folder, const std::string& line,
                                      const SearchOptions& options = {}) const {
    const Translator translator = Translator::load(folder_.path(folder));
    const std::vector<std::string> lines = {line};
    return translator.translate_n_best(lines, options).front();
  }

  TemporaryFolder folder_;
  std::unique_ptr<Server> server_;
};

inline nlohmann::json json_of(const HttpAnswer& answer) {
  const nlohmann::json json = nlohmann::json::parse(answer.body, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << answer.status << " " << answer.body;
  return json;
}

}  // namespace heed::testing
