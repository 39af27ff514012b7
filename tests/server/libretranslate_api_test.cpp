// LibreTranslate's API, as its clients see it.
#include <gtest/gtest.h>

#include "heed/runs/document_translation.h"
#include "server_fixture.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

class LibreTranslateTest : public testing::ServerTest {
 protected:
  static std::string error_of(const HttpAnswer& answer) {
    const Json json = json_of(answer);
    return json.size() == 1 && json.contains("error") ? json["error"].get<std::string>() : "";
  }
};

TEST_F(LibreTranslateTest, GivesWhatTheTranslatorGives) {
  start();
  const std::string expected = translated("en-de", "ba ko ri").front().text;
  const HttpAnswer answer =
      post("/translate", {{"q", "ba ko ri"}, {"source", "en"}, {"target", "de"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(json_of(answer), Json({{"translatedText", expected}}));
}

TEST_F(LibreTranslateTest, TakesJsonFormsMultipartAndQueries) {
  start();
  const std::string expected = translated("en-de", "ba ko").front().text;
  const auto text_of = [](const HttpAnswer& answer) {
    return json_of(answer).value("translatedText", "");
  };
  EXPECT_EQ(text_of(post_form("/translate", "q=ba+ko&source=en&target=de&format=text")), expected);
  EXPECT_EQ(text_of(post_form("/translate", "q=ba%20ko&source=en&target=de")), expected);
  EXPECT_EQ(text_of(ask(http_request("POST", "/translate?q=ba%20ko&source=en&target=de"))),
            expected);
  const std::string parts =
      "--x y\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nba ko\r\n"
      "--x y\r\nContent-Disposition: form-data; name=\"source\"\r\n\r\nen\r\n"
      "--x y\r\ncontent-disposition: form-data; name=target\r\nX: y\r\n\r\nde\r\n--x y--\r\n";
  EXPECT_EQ(text_of(ask(http_request("POST", "/translate", parts,
                                     "multipart/form-data; boundary=\"x y\""))),
            expected);
}

TEST_F(LibreTranslateTest, AListGivesAList) {
  start();
  const Json answer = json_of(
      post("/translate",
           {{"q", {"ba", "", "ko ri"}}, {"source", "en"}, {"target", "de"}, {"alternatives", 2}}));
  const auto best = [&](const char* line) {
    return translated("en-de", line, {.n_best = 3}).front().text;
  };
  EXPECT_EQ(answer["translatedText"], Json({best("ba"), "", best("ko ri")}));
  ASSERT_EQ(answer["alternatives"].size(), 3u);
  EXPECT_EQ(answer["alternatives"][1], Json::array());
  EXPECT_EQ(answer["alternatives"][2][0], translated("en-de", "ko ri", {.n_best = 3})[1].text);
  EXPECT_FALSE(answer.contains("detectedLanguage"));
}

TEST_F(LibreTranslateTest, LinesStayLines) {
  start();
  const Json answer =
      json_of(post("/translate", {{"q", " ba\n\n ko \r\n"}, {"source", "en"}, {"target", "de"}}));
  const auto best = [&](const char* line) { return translated("en-de", line).front().text; };
  EXPECT_EQ(answer["translatedText"], " " + best("ba") + "\n\n " + best("ko") + " \r\n");
}

TEST_F(LibreTranslateTest, DetectsTheLanguage) {
  start();
  const Json answer = json_of(post(
      "/translate",
      {{"q", "Der Hund und die Katze sind im Garten."}, {"source", "auto"}, {"target", "en"}}));
  EXPECT_EQ(answer["detectedLanguage"]["language"], "de");
  EXPECT_GT(answer["detectedLanguage"]["confidence"], 80);
  const Json found = json_of(post_form("/detect", "q=The+dog+and+the+cat+are+in+the+garden."));
  EXPECT_EQ(found[0]["language"], "en");
  EXPECT_GT(found[0]["confidence"], 80);
}

TEST_F(LibreTranslateTest, TagsSayNothingAboutTheLanguage) {
  start();
  const std::string page =
      "<div class=\"the content of the whole page\"><a "
      "href=\"https://a.example/about-the-company\" "
      "title=\"this is what people see\">Der Hund schl&auml;ft heute im Garten</a></div>";
  const Json answer = json_of(
      post("/translate", {{"q", page}, {"source", "auto"}, {"target", "en"}, {"format", "html"}}));
  EXPECT_EQ(answer["detectedLanguage"]["language"], "de");
  EXPECT_EQ(json_of(post("/detect", {{"q", page}}))[0]["language"], "de");
  const Json deepl = json_of(
      post("/v2/translate", {{"text", {page}}, {"target_lang", "EN"}, {"tag_handling", "html"}}));
  EXPECT_EQ(deepl["translations"][0]["detected_source_language"], "DE");
  const Json own =
      json_of(post("/v1/translate", {{"text", page}, {"target", "en"}, {"format", "html"}}));
  EXPECT_EQ(own["source"], "de");
}

TEST_F(LibreTranslateTest, ATextThatIsInTheTargetAlreadyStaysAsItIs) {
  start([&](ServerSettings& settings) { settings.service.models.pop_back(); });
  const std::string german = "Der Hund und die Katze sind im Garten.";
  const Json kept =
      json_of(post("/translate", {{"q", german}, {"source", "auto"}, {"target", "de"}}));
  EXPECT_EQ(kept["detectedLanguage"]["language"], "de");
  EXPECT_EQ(kept["translatedText"], german);
  const Json asked =
      json_of(post("/translate", {{"q", "ba"}, {"source", "auto"}, {"target", "de"}}));
  EXPECT_EQ(asked["detectedLanguage"]["language"], "en");
  EXPECT_EQ(asked["translatedText"], translated("en-de", "ba").front().text);
}

TEST_F(LibreTranslateTest, SaysWhatItsClientsKnow) {
  start();
  const auto error = [&](const Json& body) {
    const HttpAnswer answer = post("/translate", body);
    EXPECT_EQ(answer.status, 400) << body;
    return error_of(answer);
  };
  EXPECT_EQ(error({{"source", "en"}, {"target", "de"}}), "Invalid request: missing q parameter");
  EXPECT_EQ(error({{"q", ""}, {"source", "en"}, {"target", "de"}}),
            "Invalid request: missing q parameter");
  EXPECT_EQ(error({{"q", "ba"}, {"target", "de"}}), "Invalid request: missing source parameter");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "en"}}), "Invalid request: missing target parameter");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "zz"}, {"target", "de"}}), "zz is not supported");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "en"}, {"target", "zz"}}), "zz is not supported");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "en"}, {"target", "de"}, {"format", "pdf"}}),
            "pdf format is not supported");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "en"}, {"target", "de"}, {"alternatives", "x"}}),
            "Invalid request: alternatives parameter is not a number");
  EXPECT_EQ(error({{"q", "ba"}, {"source", "en"}, {"target", "de"}, {"alternatives", 10000}}),
            "Invalid request: alternatives parameter must be <= 10");
  EXPECT_EQ(error(Json::array()), "Invalid JSON format");
}

TEST_F(LibreTranslateTest, ListsLanguagesAndSettings) {
  start();
  const Json targets = {"de", "en"};
  const Json languages = {{{"code", "de"}, {"name", "German"}, {"targets", targets}},
                          {{"code", "en"}, {"name", "English"}, {"targets", targets}}};
  EXPECT_EQ(json_of(get("/languages")), languages);
  const Json settings = json_of(get("/frontend/settings"));
  EXPECT_EQ(settings["keyRequired"], false);
  EXPECT_EQ(settings["language"]["source"]["code"], "auto");
}

TEST_F(LibreTranslateTest, HtmlKeepsItsTags) {
  start();
  const std::string page = "<p id='x'>ba <b>ko</b> &amp; ri</p><pre>ba</pre>";
  std::vector<Document> expected = {Document(page, {.kind = MarkupKind::html, .language = "en"})};
  heed::translate(expected, Translator::load(folder_.path("en-de")), {});
  const Json answer = json_of(
      post("/translate", {{"q", page}, {"source", "en"}, {"target", "de"}, {"format", "html"}}));
  EXPECT_EQ(answer["translatedText"], expected[0].finish().text);
  EXPECT_TRUE(answer["translatedText"].get<std::string>().ends_with("</p><pre>ba</pre>"));
}

TEST_F(LibreTranslateTest, ATextInItsOwnLanguageStaysAsItIs) {
  start();
  EXPECT_EQ(json_of(post("/translate", {{"q", "a\n b "}, {"source", "en"}, {"target", "en"}})),
            Json({{"translatedText", "a\n b "}}));
}

}  // namespace
}  // namespace heed
