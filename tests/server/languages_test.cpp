#include "heed/server/languages.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Languages, HaveNames) {
  EXPECT_EQ(language_name("en"), "English");
  EXPECT_EQ(language_name("zh-Hans"), "Chinese (Hans)");
  EXPECT_EQ(language_name("xx"), "xx");
  EXPECT_EQ(base_language("EN_us"), "en");
}

TEST(Languages, CodesLookLikeCodes) {
  for (const char* code : {"en", "deu", "zh-Hans", "pt_BR", "es-419"})
    EXPECT_TRUE(is_language_code(code)) << code;
  for (const char* code : {"", "e", "model", "e1", "en-", "-de", "en de", "en-d/e"})
    EXPECT_FALSE(is_language_code(code)) << code;
}

TEST(Languages, AreDetectedAmongThoseThatThereAre) {
  const std::string german = "Der Hund und die Katze schlafen heute im Garten.";
  EXPECT_EQ(detect_languages(german, {"de", "en", "fr"}).front().code, "de");
  EXPECT_GT(detect_languages(german, {"de", "en", "fr"}).front().confidence, 80);
  EXPECT_EQ(
      detect_languages("Le chien et le chat dorment dans le jardin.", {"en", "fr"}).front().code,
      "fr");
  EXPECT_EQ(detect_languages("猫在花园里睡觉。", {"en", "zh-Hans"}).front().code, "zh-Hans");
  const DetectedLanguage none = detect_languages("猫在花园里睡觉。", {"en", "fr"}).front();
  EXPECT_EQ(none.code, "en");
  EXPECT_EQ(none.confidence, 0);
  for (const char* text : {"", " ", "12345", "\xff\xfe"})
    EXPECT_EQ(detect_languages(text, {"de", "en"}).size(), 1u) << text;
}

TEST(Languages, ATextIsInItsTargetOnlyBeyondDoubt) {
  const auto source_of = [](const char* text, const std::vector<std::string>& sources) {
    return detect_source(text, sources, "de").code;
  };
  const char* german = "Der Hund und die Katze schlafen heute im Garten.";
  EXPECT_EQ(source_of(german, {"en"}), "de");
  EXPECT_EQ(source_of(german, {"de", "en"}), "de");
  EXPECT_EQ(source_of("The dog and the cat are in the garden.", {"en"}), "en");
  // Short English texts that look German to CLD2.
  for (const char* text : {"A man", "Installing %s", "People sit", "Obsoletes"}) {
    EXPECT_EQ(detect_languages(text, {"de", "en"}).front().code, "de") << text;
    EXPECT_EQ(source_of(text, {"en"}), "en") << text;
    EXPECT_EQ(source_of(text, {"de", "en"}), "en") << text;
  }
  EXPECT_EQ(source_of("123", {"de"}), "de");
  EXPECT_EQ(detect_source("猫在花园里睡觉。", {"en"}, "zh").code, "zh");
}

// CLD2 refuses texts that are not UTF-8 or have control characters, and says nothing about them.
TEST(Languages, OfWhatIsNoTextNothingIsKnown) {
  const std::string german = "Der Hund und die Katze schlafen heute im Garten.";
  for (const std::string& text :
       {german + "\xFF", "\xC0" + german, german + '\x01', german + '\0'}) {
    const std::vector<DetectedLanguage> found = detect_languages(text, {"en", "de"});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().code, "en");
    EXPECT_EQ(found.front().confidence, 0);
  }
}

TEST(Languages, ALongTextIsCutBetweenCharacters) {
  std::string text;
  while (text.size() < 70'000) text += "Größe und Süße und Öl. ";
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(detect_languages(text, {"de", "en"}).front().code, "de");
    text.insert(0, "x");
  }
}

}  // namespace
}  // namespace heed
