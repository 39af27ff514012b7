#include "heed/base/text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Text, EndsOfLinesBecomeSpaces) {
  EXPECT_EQ(on_one_line("one\ntwo\r\nthree\n"), "one two  three ");
  EXPECT_EQ(on_one_line("a line"), "a line");
}

TEST(Lines, AreTakenOffTheFront) {
  std::string_view text = "one\n\r\n\nlast";
  EXPECT_EQ(take_line(text), "one");
  EXPECT_EQ(take_line(text), "\r");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "last");
  EXPECT_TRUE(text.empty());
  std::string_view ended = "a\n";
  EXPECT_EQ(take_line(ended), "a");
  EXPECT_TRUE(ended.empty());
}

TEST(Text, KnowsUtf8) {
  for (const std::string_view valid :
       {"", "plain", "Grüße", "日本語", "\xF0\x9F\x98\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_TRUE(is_utf8(valid)) << valid;
  EXPECT_TRUE(is_utf8(std::string_view("a\0b", 3)));
}

TEST(Text, RefusesWhatIsNotUtf8) {
  const std::string_view cases[] = {
      "\x80",              // a continuation byte without a lead
      "\xC3",              // the end within a character
      "\xC3(",             // a lead without its continuation
      "\xC0\xAF",          // overlong "/"
      "\xE0\x80\xAF",      // the same in three bytes
      "\xF0\x80\x80\xAF",  // and in four
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xFF",
  };
  for (const std::string_view invalid : cases) EXPECT_FALSE(is_utf8(invalid)) << printable(invalid);
}

TEST(Text, TakesCharactersOffTheFront) {
  std::string_view text = "aé語";
  EXPECT_EQ(take_character(text), U'a');
  EXPECT_EQ(take_character(text), U'é');
  EXPECT_EQ(take_character(text), U'語');
  EXPECT_TRUE(text.empty());
  text = "\xC3(";
  EXPECT_EQ(take_character(text), std::nullopt);
  EXPECT_EQ(text, "(");
}

TEST(Text, MeasuresColumns) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("Grüße"), 5);
  EXPECT_EQ(display_width("日本語"), 6);
  EXPECT_EQ(display_width("e\u0301"), 1);  // a letter and a combining accent
  EXPECT_EQ(display_width("नमस्ते"), 4);     // vowel signs and the virama stand above and below
  EXPECT_EQ(display_width("한국"), 4);
  EXPECT_EQ(display_width("\U0001F600"), 2);
  EXPECT_EQ(display_width("\u200B"), 0);  // zero-width space
  EXPECT_EQ(display_width("▁the"), 4);
  EXPECT_EQ(display_width("\xFF"), 1);
}

TEST(Text, ShortensToTheWidth) {
  EXPECT_EQ(shorten("translation", 11), "translation");
  EXPECT_EQ(shorten("translation", 10), "translati…");
  EXPECT_EQ(shorten("translation", 1), "…");
  EXPECT_EQ(shorten("translation", 0), "");
  EXPECT_EQ(shorten("日本語", 6), "日本語");
  EXPECT_EQ(shorten("日本語", 5), "日本…");
  EXPECT_EQ(shorten("日本語", 4), "日…");
  EXPECT_EQ(shorten("Grüße", 5), "Grüße");
}

TEST(Text, ShortenedTextFits) {
  const std::string text = "a日\u0301é\xFF\U0001F600한 zz";
  for (int width = 0; width < 16; ++width) EXPECT_LE(display_width(shorten(text, width)), width);
}

TEST(Text, MakesForeignTextPrintable) {
  EXPECT_EQ(printable("Grüße"), "Grüße");
  EXPECT_EQ(printable("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
  EXPECT_EQ(printable("\u009B31m"), "\\x9b31m");
  EXPECT_EQ(printable("\u202Etxt"), "\\u202etxt");
  EXPECT_EQ(printable("a\xFFz"), "a\uFFFDz");
}

TEST(Text, QuotesNamesOfAnyLength) {
  EXPECT_EQ(quote("keys"), "\"keys\"");
  EXPECT_EQ(display_width(quote(std::string(1'000'000, 'k'))), 82);
  EXPECT_EQ(quote("a\tb"), "\"a\\x09b\"");
}

}  // namespace
}  // namespace heed
