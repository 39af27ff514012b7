// What the page asks the server for, beyond what other programs do.
#include <gtest/gtest.h>

#include <set>

#include "heed/server/attention_data.h"
#include "server_fixture.h"

namespace heed {
namespace {

using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

class PageApiTest : public testing::ServerTest {
 protected:
  HttpAnswer attention(const Json& more) const {
    Json body = {{"text", "ba ko ri"}, {"source", "en"}, {"target", "de"}, {"format", "page"}};
    body.update(more);
    return post("/v1/attention", body);
  }
};

TEST_F(PageApiTest, WhatElseCouldStandAfterAPrefix) {
  start();
  const Json answer = json_of(post("/v1/translate", {{"text", "ba ko ri"},
                                                     {"source", "en"},
                                                     {"target", "de"},
                                                     {"prefix", "ko"},
                                                     {"branch", true},
                                                     {"beam", 3},
                                                     {"nbest", 3}}));
  const Json& found = answer["translations"][0]["sentences"][0]["translations"];
  const Translator translator = Translator::load(folder_.path("en-de"));
  const std::vector<std::string> lines = {"ba ko ri"}, prefixes = {"ko"};
  const std::vector<Translation> best =
      translator.translate_n_best(lines, {.beam = 3, .n_best = 3, .branch = true}, prefixes)
          .front();
  ASSERT_EQ(found.size(), best.size());
  std::set<std::string> different;
  for (size_t i = 0; i < best.size(); ++i) {
    EXPECT_EQ(found[i]["text"], best[i].text);
    EXPECT_TRUE(best[i].text.starts_with("ko"));
    different.insert(best[i].text);
  }
  EXPECT_EQ(different.size(), best.size());
}

TEST_F(PageApiTest, AttentionAsTheViewerReadsIt) {
  start();
  const std::vector<HeadName> without = {{AttentionPart::cross, 1, 2}};
  const HttpAnswer answer = attention({{"without", {"cross:1:2"}}, {"norms", true}});
  const AttentionViewer viewer(load_model_folder(folder_.path("en-de")),
                               {.without = without, .norms = true});
  EXPECT_EQ(answer.body,
            attention_for_page(viewer.find("ba ko ri").front(), viewer.head_counts(), without));
  const Json data = json_of(answer);
  EXPECT_EQ(data["format"], "heed-attention");
  EXPECT_EQ(data["off"], Json::parse(R"([{"part": "cross", "layer": 0, "head": 1}])"));
  EXPECT_TRUE(data["sentences"][0]["parts"]["cross"].contains("norms"));
  EXPECT_EQ(attention({{"format", "pdf"}}).status, 400);
}

TEST_F(PageApiTest, ThePageIsThereUnlessItIsLeftOut) {
  start();
  const HttpAnswer page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("<script type=\"module\""), std::string::npos);
  EXPECT_EQ(post("/", {}).status, 405);
  start([](ServerSettings& settings) { settings.page.is_served = false; });
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(get("/languages").status, 200);
}

}  // namespace
}  // namespace heed
