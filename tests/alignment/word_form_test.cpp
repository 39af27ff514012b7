#include "heed/alignment/word_form.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(WordForm, HasNoCapitalsAndNoAccents) {
  EXPECT_EQ(word_form(U"Élève", 0), U"eleve");
  EXPECT_EQ(word_form(U"ŞTIINŢĂ", 0), U"stiinta");
  EXPECT_EQ(word_form(U"e\u0301tat", 0), U"etat") << "an accent of its own";
}

TEST(WordForm, HasTheFirstCharacters) {
  EXPECT_EQ(word_form(U"houses", 5), U"house");
  EXPECT_EQ(word_form(U"cat", 5), U"cat");
  EXPECT_EQ(word_form(U"e\u0301le\u0300ve", 3), U"ele") << "accents are not characters";
}

TEST(WordForm, KeepsTheLettersOfOtherScripts) {
  EXPECT_EQ(word_form(U"한국어", 0), U"한국어") << "syllables do not fall apart";
  EXPECT_EQ(word_form(U"日本語", 2), U"日本");
  EXPECT_EQ(word_form(U"हिन्दी", 0), U"हिन्दी") << "vowel signs stay";
}

TEST(WordForm, IsNeverEmpty) {
  EXPECT_EQ(word_form(U"\u0301", 5), U"\u0301");
  EXPECT_EQ(word_form(U"", 5), U"");
}

TEST(Likeness, IsTheShareOfWhatIsCommon) {
  EXPECT_EQ(likeness(U"paris", U"paris"), 1);
  EXPECT_EQ(likeness(U"natio", U"natiu"), 0.8);
  EXPECT_EQ(likeness(U"hous", U"haus"), 0.75);
  EXPECT_EQ(likeness(U"abcd", U"xaybzz"), 0) << "a third is by chance";
  EXPECT_EQ(likeness(U"ab", U"axxb"), 0.5);
}

TEST(Likeness, NeedsTwoCharacters) {
  EXPECT_EQ(likeness(U"a", U"a"), 1);
  EXPECT_EQ(likeness(U"a", U"ab"), 0);
  EXPECT_EQ(likeness(U"", U"ab"), 0);
}

TEST(Likeness, OfHugeWordsIsOfTheirBeginnings) {
  const std::u32string one(1'000'000, U'a'), other = std::u32string(64, U'a') + U"b";
  EXPECT_EQ(likeness(one, other), 1);
}

}  // namespace
}  // namespace heed
