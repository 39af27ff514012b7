// DeepL's API, as its clients see it.
#include <gtest/gtest.h>

#include "server_fixture.h"

namespace heed {
namespace {

using testing::http_request;
using testing::HttpAnswer;
using testing::json_of;
using Json = nlohmann::json;

class DeeplTest : public testing::ServerTest {
 protected:
  static std::string message_of(const HttpAnswer& answer) {
    const Json json = json_of(answer);
    return json.size() == 1 && json.contains("message") ? json["message"].get<std::string>() : "";
  }
};

TEST_F(DeeplTest, TranslatesFormsAsItsNodeClientSendsThem) {
  start();
  const Json answer = json_of(
      post_form("/v2/translate",
                "text=ba+ko&text=ri&target_lang=de&source_lang=en&show_billed_characters=1"));
  const Json expected = {{"translations",
                          {{{"detected_source_language", "EN"},
                            {"text", translated("en-de", "ba ko").front().text},
                            {"billed_characters", 5}},
                           {{"detected_source_language", "EN"},
                            {"text", translated("en-de", "ri").front().text},
                            {"billed_characters", 2}}}}};
  EXPECT_EQ(answer, expected);
}

TEST_F(DeeplTest, DetectsTheSourceAndTakesTargetsWithACountry) {
  start();
  const Json answer = json_of(post("/v2/translate", {{"text", {"Der Hund schläft im Garten."}},
                                                     {"target_lang", "EN-US"},
                                                     {"context", "Tiere"},
                                                     {"formality", "prefer_less"},
                                                     {"split_sentences", "0"}}));
  EXPECT_EQ(answer["translations"][0]["detected_source_language"], "DE");
  EXPECT_EQ(answer["translations"][0]["text"],
            translated("de-en", "Der Hund schläft im Garten.").front().text);
}

TEST_F(DeeplTest, DetectsTheSourceOfEachText) {
  start([&](ServerSettings& settings) {
    put_pair("fr-en", 7);
    put_pair("en-fr", 8);
    settings.service.models.push_back(named_folder(folder_.path("fr-en")));
    settings.service.models.push_back(named_folder(folder_.path("en-fr")));
  });
  const std::string german = "Der Hund schläft heute im Garten.",
                    french = "Le chien dort au jardin.",
                    english = "The dog is sleeping in the garden.";
  const Json answer = json_of(post(
      "/v2/translate", {{"text", {french, german, english, french}}, {"target_lang", "EN-GB"}}));
  const auto best = [&](const char* folder, const std::string& line) {
    return translated(folder, line).front().text;
  };
  const Json& texts = answer["translations"];
  ASSERT_EQ(texts.size(), 4) << answer;
  const std::vector<std::string> sources = {"FR", "DE", "EN", "FR"},
                                 expected = {best("fr-en", french), best("de-en", german), english,
                                             best("fr-en", french)};
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(texts[i]["detected_source_language"], sources[i]) << i;
    EXPECT_EQ(texts[i]["text"], expected[i]) << i;
  }
  EXPECT_NE(get("/metrics").body.find(R"(heed_translated_sentences_total{languages="mul-en"} 3)"),
            std::string::npos);
  // A text that does not tell is in the language of the others.
  const Json short_one =
      json_of(post("/v2/translate", {{"text", {"?", german}}, {"target_lang", "EN-GB"}}));
  EXPECT_EQ(short_one["translations"][0]["detected_source_language"], "DE");
  // No model translates German to French: the text is in another language then.
  const Json other =
      json_of(post("/v2/translate", {{"text", {german, english}}, {"target_lang", "FR"}}));
  EXPECT_EQ(other["translations"][0]["detected_source_language"], "EN");
  EXPECT_EQ(other["translations"][1]["text"], best("en-fr", english));
}

TEST_F(DeeplTest, ATextThatIsInTheTargetAlreadyStaysAsItIs) {
  start([&](ServerSettings& settings) { settings.service.models.pop_back(); });
  const std::string german = "Der Hund schläft heute im Garten.",
                    english = "The dog is sleeping in the garden.";
  const Json texts = json_of(post("/v2/translate", {{"text", {german, english, "A man"}},
                                                    {"target_lang", "DE"}}))["translations"];
  ASSERT_EQ(texts.size(), 3);
  EXPECT_EQ(texts[0]["detected_source_language"], "DE");
  EXPECT_EQ(texts[0]["text"], german);
  EXPECT_EQ(texts[1]["detected_source_language"], "EN");
  EXPECT_EQ(texts[1]["text"], translated("en-de", english).front().text);
  EXPECT_EQ(texts[2]["text"], translated("en-de", "A man").front().text);
}

TEST_F(DeeplTest, SplitsSentencesAsItIsTold) {
  start();
  const auto text = [&](const std::string& split) {
    return json_of(post("/v2/translate", {{"text", {"ba. Ko.\nRi"}},
                                          {"target_lang", "DE"},
                                          {"source_lang", "EN"},
                                          {"split_sentences", split}}))["translations"][0]["text"]
        .get<std::string>();
  };
  const auto best = [&](const char* line) { return translated("en-de", line).front().text; };
  EXPECT_EQ(text("0"), best("ba. Ko. Ri"));
  EXPECT_EQ(text("1"), best("ba.") + " " + best("Ko.") + "\n" + best("Ri"));
  EXPECT_EQ(text("nonewlines"), best("ba.") + " " + best("Ko.") + "\n" + best("Ri"));
}

TEST_F(DeeplTest, TagsStayAroundTheirWords) {
  start();
  const Json answer =
      json_of(post_form("/v2/translate",
                        "text=%3Ca%3Eba%3C%2Fa%3E+%3Cx%3Eko%3C%2Fx%3E&target_lang=de&source_lang=en"
                        "&tag_handling=xml&ignore_tags=x,y"));
  const std::string text = answer["translations"][0]["text"];
  EXPECT_NE(text.find("<x>ko</x>"), std::string::npos) << text;
  EXPECT_NE(text.find("<a>"), std::string::npos) << text;
}

TEST_F(DeeplTest, RefusesWhatItCannotDo) {
  start();
  const auto refused = [&](const Json& more, int status = 400) {
    Json body = {{"text", {"ba"}}, {"target_lang", "DE"}, {"source_lang", "EN"}};
    body.update(more);
    const HttpAnswer answer = post("/v2/translate", body);
    EXPECT_EQ(answer.status, status) << more;
    return message_of(answer);
  };
  EXPECT_EQ(refused({{"text", nullptr}}), "Parameter 'text' not specified.");
  EXPECT_EQ(refused({{"target_lang", nullptr}}), "Value for 'target_lang' not supported.");
  EXPECT_EQ(refused({{"target_lang", "XX"}}), "Value for 'target_lang' not supported.");
  EXPECT_EQ(refused({{"source_lang", "XX"}}), "Value for 'source_lang' not supported.");
  EXPECT_EQ(refused({{"formality", "more"}}),
            "'formality' is not supported for given 'target_lang'.");
  EXPECT_EQ(refused({{"formality", "polite"}}), "Value for 'formality' not supported.");
  EXPECT_EQ(refused({{"split_sentences", "maybe"}}), "Value for 'split_sentences' not supported.");
  EXPECT_EQ(refused({{"tag_handling", "rtf"}}), "Value for 'tag_handling' not supported.");
  EXPECT_EQ(refused({{"glossary_id", "x"}}, 404), "Glossary not found.");
  EXPECT_EQ(message_of(get("/v2/glossaries/x")), "Not Found");
}

TEST_F(DeeplTest, HasNoGlossariesAndSaysSo) {
  start();
  const Json none = Json::array();
  EXPECT_EQ(json_of(get("/v2/glossaries")), Json({{"glossaries", none}}));
  EXPECT_EQ(json_of(get("/v3/glossaries")), Json({{"glossaries", none}}));
  EXPECT_EQ(json_of(get("/v2/glossary-language-pairs")), Json({{"supported_languages", none}}));
}

TEST_F(DeeplTest, ALanguageWithoutItsScriptIsTheOneThatThereIs) {
  start([&](ServerSettings& settings) {
    put_pair("en-zh-Hans", 7);
    settings.service.models.push_back(named_folder(folder_.path("en-zh-Hans")));
  });
  const auto text = [&](const char* target) {
    return json_of(post("/v2/translate", {{"text", {"ba ko"}},
                                          {"target_lang", target},
                                          {"source_lang", "EN"}}))["translations"][0]["text"];
  };
  const std::string expected = translated("en-zh-Hans", "ba ko").front().text;
  EXPECT_EQ(text("ZH-HANS"), expected);
  EXPECT_EQ(text("ZH"), expected);
  EXPECT_EQ(post("/v2/translate", {{"text", {"ba"}}, {"target_lang", "ZH-HANT"}}).status, 400);
}

TEST_F(DeeplTest, ListsLanguagesAndUsage) {
  start();
  const Json sources = {{{"language", "DE"}, {"name", "German"}},
                        {{"language", "EN"}, {"name", "English"}}};
  EXPECT_EQ(json_of(get("/v2/languages?type=source")), sources);
  const auto target = [](const char* code, const char* name) {
    return Json({{"language", code}, {"name", name}, {"supports_formality", false}});
  };
  const Json targets = {target("DE", "German"), target("EN-GB", "English (British)"),
                        target("EN-US", "English (American)")};
  EXPECT_EQ(json_of(get("/v2/languages?type=target")), targets);
  EXPECT_EQ(json_of(get("/v2/usage"))["character_count"], 0);
  post("/v2/translate", {{"text", {"ba ko"}}, {"target_lang", "DE"}, {"source_lang", "EN"}});
  EXPECT_EQ(json_of(get("/v2/usage"))["character_count"], 5);
}

}  // namespace
}  // namespace heed
