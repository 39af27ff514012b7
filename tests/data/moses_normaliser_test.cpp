#include "heed/data/moses_normaliser.h"

#include <gtest/gtest.h>

#include "heed/base/characters.h"

namespace heed::moses {
namespace {

std::string in(std::string_view language, std::string_view text) {
  return text_of(normalised(TracedText(text), language).characters());
}

// Expected is what MosesPunctNormalizer of sacremoses 0.1.1 gives.
TEST(MosesNormaliser, StraightensQuotesAndDashes) {
  EXPECT_EQ(in("en", "He said “yes”, twice — or ‘no’…"), "He said \"yes,\" twice - or 'no'...");
  EXPECT_EQ(in("en", "``quoted''"), "\" quoted \"");
  EXPECT_EQ(in("en", "nº\u00a05 12\u00a0cm «\u00a0a\u00a0»"), "nº 5 12 cm \"a\"");
}

TEST(MosesNormaliser, PutsSpacesAroundBracketsRatherThanInsideThem) {
  EXPECT_EQ(in("en", "a ( b ) , c : d"), "a (b), c: d");
  EXPECT_EQ(in("en", " (a) ;b\r "), "(a);b");
  EXPECT_EQ(in("en", "5 % x %"), "5% x %");
}

TEST(MosesNormaliser, QuotesAndStopsHaveTheOrderOfTheLanguage) {
  EXPECT_EQ(in("en", "x\",., y"), "x,.,\" y");
  EXPECT_EQ(in("de", "„Nein,“ sagte er."), "\"Nein\", sagte er.");
  EXPECT_EQ(in("de", "Er sagte: „Ja.“ Und ging."), "Er sagte: \"Ja\". Und ging.");
  EXPECT_EQ(in("de", "Er sagte: „Ja.“"), "Er sagte: \"Ja.\"");
  EXPECT_EQ(in("cs", "\"x\", y.\" z"), "\"x\", y.\" z");
}

// The expression of sacremoses takes a character after the quote, which may be a space before "<".
TEST(MosesNormaliser, AReplacementTakesWhatFollowsTheQuote) {
  EXPECT_EQ(in("de", "x.\"<b>"), "x.\"<b>");
  EXPECT_EQ(in("de", "a.\". \"b"), "a\".. \"b");
  EXPECT_EQ(in("de", "a...\"  <"), "a\"... <");
}

// Of three groups, the second belongs to the first replacement.
TEST(MosesNormaliser, GroupsOfDigitsGetTheMarkOfTheLanguage) {
  EXPECT_EQ(in("en", "10\u00a0000"), "10.000");
  EXPECT_EQ(in("cs", "10\u00a0000"), "10,000");
  EXPECT_EQ(in("en", "3\u00a04\u00a05"), "3.4\u00a05");
}

TEST(MosesNormaliser, KnowsWhereCharactersCameFrom) {
  const TracedText text = normalised(TracedText("“a”, b"), "en");
  ASSERT_EQ(text.characters(), U"\"a,\" b");
  EXPECT_EQ(text.origin(0), (TextRange{0, 3}));
  EXPECT_EQ(text.origin(2), (TextRange{7, 8}));
  EXPECT_EQ(text.origin(3), (TextRange{4, 7}));
}

}  // namespace
}  // namespace heed::moses
