#include "heed/visualisation/attention_page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;
using nlohmann::json;

AttentionPage small_page(const std::string& text) {
  const Tensor weights = Tensor::of({1, 1, 2, 2}, {1, 0, 0.25f, 0.75f});
  return {
      .title = "a model",
      .first = PageHead{"cross", 1, 1},
      .off = {{"cross", 1, 1}},
      .columns = {{"entropy", "Entropy", "In bits.", ""}},
      .rows = {{.head = {"cross", 1, 1}, .role = "aligns", .figures = {{"entropy", 0.5}}}},
      .sentences = {
          {.name = text,
           .score = -1.5,
           .tokens = {{.name = "source", .text = text, .pieces = {text, "</s>"}, .words = {0, -1}},
                      {.name = "target", .text = "b", .pieces = {"b", "</s>"}}},
           .parts = {page_part("cross", "target", "source",
                               {.weights = weights, .gradients = weights})}}}};
}

std::string data_text(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const size_t from = html.find(begin) + begin.size();
  return html.substr(from, html.find("</script>", from) - from);
}

TEST(AttentionPage, ItsDataCanBeHadAlone) {
  const AttentionPage page = small_page("a </script> b");
  EXPECT_EQ(attention_page_json(page), data_text(draw_as_page(page)));
  EXPECT_EQ(error_of([] { attention_page_json({}); }),
            "attention page: there is no sentence to show");
}

TEST(AttentionPage, HasItsDataInTheFormatOfTheViewer) {
  const json data = json::parse(data_text(draw_as_page(small_page("a"))));
  EXPECT_EQ(data["format"], "heed-attention");
  EXPECT_EQ(data["version"], 1);
  EXPECT_EQ(data["title"], "a model");
  EXPECT_EQ(data["first"], json::parse(R"({"part":"cross","layer":0,"head":0})"));
  EXPECT_EQ(data["off"], json::parse(R"([{"part":"cross","layer":0,"head":0}])"));
  EXPECT_EQ(data["heads"]["rows"][0]["figures"]["entropy"], 0.5);
  EXPECT_EQ(data["heads"]["columns"][0]["name"], "Entropy");
  const json& sentence = data["sentences"][0];
  EXPECT_EQ(sentence["score"], -1.5);
  EXPECT_EQ(sentence["tokens"]["source"]["words"], json::parse("[0,-1]"));
  EXPECT_FALSE(sentence["tokens"]["target"].contains("words"));
  const json& part = sentence["parts"]["cross"];
  EXPECT_EQ(part["queries"], "target");
  EXPECT_EQ(part["layers"], 1);
  EXPECT_EQ(part["weights"]["packing"], "deflate");
  EXPECT_EQ(part["weights"]["signed"], false);
  EXPECT_EQ(part["gradients"]["signed"], true);
  EXPECT_FALSE(part.contains("norms"));
}

TEST(AttentionPage, HasStepsInPlaceOfSentences) {
  AttentionPage page = small_page("a");
  PageStep first{.step = 500,
                 .columns = page.columns,
                 .rows = page.rows,
                 .over = "a text",
                 .sentences = {page.sentences[0], std::nullopt}};
  PageStep second = first;
  second.step = 1000;
  second.sentences = {page.sentences[0], page.sentences[0]};
  page.rows.clear();
  page.sentences.clear();
  page.steps = {first, second};
  const json data = json::parse(data_text(draw_as_page(page)));
  EXPECT_FALSE(data.contains("sentences"));
  EXPECT_FALSE(data.contains("heads"));
  ASSERT_EQ(data["steps"].size(), 2);
  EXPECT_EQ(data["steps"][0]["step"], 500);
  EXPECT_EQ(data["steps"][0]["heads"]["over"], "a text");
  EXPECT_EQ(data["steps"][0]["heads"]["rows"][0]["role"], "aligns");
  EXPECT_TRUE(data["steps"][0]["sentences"][1].is_null());
  EXPECT_EQ(data["steps"][1]["sentences"][1]["name"], "a");
  page.steps[0].sentences = {std::nullopt};
  EXPECT_EQ(error_of([&] { draw_as_page(page); }), "attention page: there is no sentence to show");
}

TEST(AttentionPage, NoTextCanEndTheElementThatHoldsIt) {
  const std::string hostile =
      "</script><img onerror=alert(1)><!--\"'\xE2\x80\xAE\x1b[31m\xFF@DATA@";
  const std::string html = draw_as_page(small_page(hostile));
  const std::string text = data_text(html);
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(json::parse(text)["sentences"][0]["name"],
            "</script><img onerror=alert(1)><!--\"'\xE2\x80\xAE\x1b[31m\xEF\xBF\xBD@DATA@");
  EXPECT_EQ(html.find("<img"), std::string::npos);
}

TEST(AttentionPage, NeedsNothingElse) {
  const std::string html = draw_as_page(small_page("a"));
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  for (const char* const reference : {"src=", "<link", "@import", "@STYLE", "@SCRIPT", "@DATA"})
    EXPECT_EQ(html.find(reference), std::string::npos) << reference;
}

TEST(AttentionPage, OfNothingIsRefused) {
  EXPECT_EQ(error_of([] { draw_as_page({}); }), "attention page: there is no sentence to show");
}

}  // namespace
}  // namespace heed
