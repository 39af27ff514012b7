#include "heed/data/traced_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

using Ranges = std::vector<TextRange>;

Ranges origins_of(const TracedText& text) {
  Ranges origins;
  for (size_t i = 0; i < text.size(); ++i) origins.push_back(text.origin(i));
  return origins;
}

TEST(TracedText, KnowsTheBytesOfItsCharacters) {
  const TracedText text("aß\xff€");
  EXPECT_EQ(text.characters(), U"aß\uFFFD€");
  EXPECT_EQ(origins_of(text), (Ranges{{0, 1}, {1, 3}, {3, 4}, {4, 7}}));
}

TEST(TracedText, WhatReplacesSomethingStandsForIt) {
  TracedText text("a… b");
  text.replace(U"…", U"...");
  EXPECT_EQ(text.characters(), U"a... b");
  EXPECT_EQ(origins_of(text), (Ranges{{0, 1}, {1, 4}, {1, 4}, {1, 4}, {4, 5}, {5, 6}}));
}

// Characters that stay keep their own bytes, and a space that is put in has none.
TEST(TracedText, WhatStaysKeepsItsOrigin) {
  TracedText text("x) .,\"(");
  text.replace(U") .", U").");
  text.replace(U",\"", U"\",");
  text.replace(U"(", U" (");
  EXPECT_EQ(text.characters(), U"x).\", (");
  const Ranges expected = {{0, 1}, {1, 2}, {3, 4}, {5, 6}, {4, 5}, {}, {6, 7}};
  EXPECT_EQ(origins_of(text), expected);
}

TEST(TracedText, ReplacesFromLeftToRight) {
  TracedText text("'''");
  text.replace(U"''", U"\"");
  EXPECT_EQ(text.characters(), U"\"'");
  text.replace(U"x", U"y");
  EXPECT_EQ(text.characters(), U"\"'");
  text.replace(U"'", U"");
  EXPECT_EQ(text.characters(), U"\"");
}

TEST(TracedText, SpaceDoesNotCountInTheOriginOfAPart) {
  const TracedText text("\u00a0«\u00a0a");
  EXPECT_EQ(text.origin(0, 3), (TextRange{2, 4}));
  EXPECT_EQ(text.origin(0, 4), (TextRange{2, 7}));
  EXPECT_EQ(text.origin(0, 1), TextRange());
}

TEST(TracedText, LosesBlanks) {
  TracedText text("  a \u3000 b  ");
  EXPECT_EQ(text.stripped().characters(), U"a \u3000 b");
  text.join_blanks();
  EXPECT_EQ(text.characters(), U" a \u3000 b ");
  EXPECT_EQ(TracedText("  ").stripped().size(), 0u);
}

}  // namespace
}  // namespace heed
