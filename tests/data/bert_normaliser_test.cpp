#include "heed/data/bert_normaliser.h"

#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed {
namespace {

std::string normalised(const BertNormaliser& normaliser, std::string_view text) {
  return text_of(normaliser(characters_of(text)));
}

constexpr BertNormaliser nothing = {
    .cleans = false, .separates_cjk = false, .strips_accents = false, .lowercases = false};

std::vector<std::string> words(std::string_view text) {
  const std::u32string characters = characters_of(text);
  std::vector<std::string> found;
  for (const std::u32string_view word : bert_words(characters)) found.push_back(text_of(word));
  return found;
}

TEST(BertNormaliser, DropsControlCharactersAndMakesSpacesOfWhiteSpace) {
  BertNormaliser cleaning = nothing;
  cleaning.cleans = true;
  // Soft hyphen, zero-width joiner, byte order mark, U+0000, U+0085, U+FFFD and a lone byte.
  EXPECT_EQ(normalised(cleaning, "a\u00adb\u200dc\ufeffd\u0085e\ufffd\xff"), "abcde");
  EXPECT_EQ(normalised(cleaning, std::string_view("a\0b\x1b", 4)), "ab");
  EXPECT_EQ(normalised(cleaning, "a\tb\nc\rd\u00a0e\u3000f\u2028g"), "a b c d e f g");
  // Neither unassigned characters nor most of those for private use.
  EXPECT_EQ(normalised(cleaning, "\u0378\ue001"), "\u0378\ue001");
  EXPECT_EQ(normalised(cleaning, "\uf8ff\ue000x"), "x");
  EXPECT_EQ(normalised(nothing, "a\tb\u200dc"), "a\tb\u200dc");
}

TEST(BertNormaliser, PutsSpacesAroundChineseCharactersOnly) {
  BertNormaliser separating = nothing;
  separating.separates_cjk = true;
  EXPECT_EQ(normalised(separating, "a漢字b"), "a 漢  字 b");
  EXPECT_EQ(normalised(separating, "ひらカタ한글"), "ひらカタ한글");
  EXPECT_EQ(normalised(separating, "\U00020000\U0002B900"), " \U00020000 \U0002B900");
}

TEST(BertNormaliser, StripsAccentsOfLettersAndMarksByThemselves) {
  BertNormaliser stripping = nothing;
  stripping.strips_accents = true;
  EXPECT_EQ(normalised(stripping, "Crème e\u0301 ǖ Å ậ"), "Creme e u A a");
  EXPECT_EQ(normalised(stripping, "ß œ ﬁ ø"), "ß œ ﬁ ø");  // which NFD leaves
  // Hangul becomes its letters, as NFD has it.
  EXPECT_EQ(normalised(stripping, "한"), "\u1112\u1161\u11ab");
  EXPECT_EQ(normalised(stripping, "\u212b"), "A");  // the sign for ångström
}

TEST(BertNormaliser, PutsMarksInOrderBeforeItStripsThem) {
  BertNormaliser stripping = nothing;
  stripping.strips_accents = true;
  // U+1D16D (226) and U+1D165 (216) are spacing marks, which stay.
  EXPECT_EQ(normalised(stripping, "x\U0001D16D\U0001D165"), "x\U0001D165\U0001D16D");
}

TEST(BertNormaliser, MakesEachCharacterLowercaseByItself) {
  BertNormaliser lowering = nothing;
  lowering.lowercases = true;
  EXPECT_EQ(normalised(lowering, "ÀÉ ΣΑΣ"), "àé σασ");
  EXPECT_EQ(normalised(lowering, "İ"), "i\u0307");
}

TEST(BertNormaliser, DoesAllOfItInOrder) {
  EXPECT_EQ(normalised({}, "ÀÉÎ\u200d\t漢İ"), "aei  漢 i");
}

TEST(BertWords, AreSplitAtSpacesAndMarks) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words("  it's  $3.50 "), (Words{"it", "'", "s", "$", "3", ".", "50"}));
  EXPECT_EQ(words("a—b…«c»、d"), (Words{"a", "—", "b", "…", "«", "c", "»", "、", "d"}));
  EXPECT_EQ(words("a+b^c`d|e~f<g"),
            (Words{"a", "+", "b", "^", "c", "`", "d", "|", "e", "~", "f", "<", "g"}));
  EXPECT_EQ(words("£7 a°b ©"), (Words{"£7", "a°b", "©"}));  // symbols beyond ASCII do not split
  EXPECT_EQ(words(" \t "), Words());
  EXPECT_EQ(words(""), Words());
}

}  // namespace
}  // namespace heed
