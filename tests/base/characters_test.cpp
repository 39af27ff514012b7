#include "heed/base/characters.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Characters, ThereAndBack) {
  for (const std::string text :
       {"", "plain", "Grüße, 日本語 \xF0\x9F\x98\x80", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(text_of(characters_of(text)), text);
  EXPECT_EQ(characters_of("aé語😀"), U"aé語😀");
  EXPECT_EQ(characters_of("a\xFFz"), U"a\uFFFDz");
  // Neither a surrogate nor beyond the last character.
  EXPECT_EQ(text_of(std::u32string{0xD800, 'x', 0x110000}), "\xEF\xBF\xBDx\xEF\xBF\xBD");
}

TEST(Characters, Classes) {
  for (const char32_t space : std::u32string_view(U" \t\n\u00A0\u2009\u3000\u0085\x1C"))
    EXPECT_TRUE(is_space(space)) << static_cast<unsigned>(space);
  EXPECT_FALSE(is_space(U'\u200B'));  // zero width, but no space to Unicode
  EXPECT_FALSE(is_space(0));
  EXPECT_TRUE(is_punctuation(U'.') && is_punctuation(U'。') && is_punctuation(U'“') &&
              is_punctuation(U'_'));
  EXPECT_FALSE(is_punctuation(U'+') || is_punctuation(U'$') || is_punctuation(U'a'));
  EXPECT_TRUE(is_symbol(U'+') && is_symbol(U'€') && is_symbol(U'^') && is_symbol(U'😀'));
  EXPECT_FALSE(is_symbol(U'.') || is_symbol(U'1'));
  EXPECT_TRUE(is_number(U'7') && is_number(U'٣') && is_number(U'½') && is_number(U'Ⅷ'));
  EXPECT_FALSE(is_number(U'x') || is_number(U'.'));
}

TEST(Characters, Lowercase) {
  const std::pair<std::u32string_view, std::u32string_view> cases[] = {
      {U"", U""},
      {U"ABC xyz 123", U"abc xyz 123"},
      {U"ÄÖÜẞ ĀĂĄ ДЖ ΑΒΓ", U"äöüß āăą дж αβγ"},
      {U"ŸǄǅ Ａ 𐐀", U"ÿǆǆ ａ 𐐨"},
      {U"日本 — ß", U"日本 — ß"},
      {U"İI", U"i\u0307i"},
      // A sigma at the end of a word, before a mark that does not count, alone, and within a word.
      {U"ΟΔΟΣ", U"οδος"},
      {U"ΟΔΟΣ. ΣΑΣ", U"οδος. σας"},
      {U"ΑΣ\u0301", U"ας\u0301"},
      {U"ΑΣ\u0301Α", U"ασ\u0301α"},
      {U"Σ ΣΣ", U"σ σς"},
  };
  for (const auto& [text, lower] : cases) EXPECT_EQ(lowercase(text), lower) << text_of(text);
}

TEST(Characters, KnowsScriptsWithoutSpaces) {
  for (const char32_t letter : U"愛ひらカナไລမខ々〇ㄅﾊ𠀀")
    EXPECT_TRUE(letter == 0 || is_written_without_spaces(letter)) << text_of({&letter, 1});
  for (const char32_t letter : U"aäяαعא한अ。、1 ▁")
    EXPECT_FALSE(is_written_without_spaces(letter)) << text_of({&letter, 1});
}

TEST(Characters, SplitsAtAnySpace) {
  using Words = std::vector<std::u32string_view>;
  EXPECT_EQ(split_at_spaces(U""), Words{});
  EXPECT_EQ(split_at_spaces(U" \t "), Words{});
  EXPECT_EQ(split_at_spaces(U"one"), Words{U"one"});
  EXPECT_EQ(split_at_spaces(U" one\u3000two\u00A0 three "), (Words{U"one", U"two", U"three"}));
}

}  // namespace
}  // namespace heed
