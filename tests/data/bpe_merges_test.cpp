#include "heed/data/bpe_merges.h"

#include <gtest/gtest.h>

#include <set>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;
using Ends = std::vector<size_t>;

Ends split(const std::string& merges, std::u32string_view word) {
  return BpeMerges::parse(merges, "bpe.model").split(word);
}

// "lower" is "low er</w>" here, but "er" without the end of the word is none.
TEST(BpeMerges, TheEndOfAWordIsPartOfItsLastCharacter) {
  const std::string merges = "#version: 0.2\nl o\nlo w\ne r</w>\n";
  EXPECT_EQ(split(merges, U"lower"), (Ends{3, 5}));
  EXPECT_EQ(split(merges, U"lowers"), (Ends{3, 4, 5, 6}));
  EXPECT_EQ(split(merges, U"low"), (Ends{2, 3}));  // its last character is "w</w>"
  EXPECT_EQ(split(merges, U"x"), Ends{1});
  EXPECT_EQ(split(merges, U""), Ends());
}

TEST(BpeMerges, InTheFirstVersionItIsASymbol) {
  const std::string merges = "l o\nlo w\nw </w>\nlow </w>\ne r\ner </w>\n";
  EXPECT_EQ(split(merges, U"lower"), (Ends{3, 5}));
  EXPECT_EQ(split(merges, U"low"), Ends{3});
  EXPECT_EQ(split("#version: 0.1\n" + merges, U"low"), Ends{3});
  EXPECT_EQ(split(merges, U"x"), Ends{1});
  EXPECT_EQ(split(merges, U"xw"), (Ends{1, 2}));
}

// All places of a pair are merged before another pair is: "xx xx x", not "xx x xx".
TEST(BpeMerges, PairsAreMergedFromLeftToRight) {
  EXPECT_EQ(split("#version: 0.2\nx x\n", U"xxxxxy"), (Ends{2, 4, 5, 6}));
  EXPECT_EQ(split("#version: 0.2\nx x\nxx xx\n", U"xxxxxy"), (Ends{4, 5, 6}));
}

// "abc" is made of "a" and "bc" by the third merge, and could be merged with "d" by the first. It
// is not, before the third is done everywhere.
TEST(BpeMerges, AMergeIsDoneEverywhereBeforeTheNext) {
  const std::string merges = "#version: 0.2\nabc a\nb c\na bc\n";
  EXPECT_EQ(split(merges, U"abcabcz"), (Ends{3, 6, 7}));
  EXPECT_EQ(split(merges, U"abcaz"), (Ends{4, 5}));
}

TEST(BpeMerges, OfMergesThatAreGivenTwiceTheFirstCounts) {
  EXPECT_EQ(split("#version: 0.2\na b\nb c\na b\n", U"abcz"), (Ends{2, 3, 4}));
}

TEST(BpeMerges, LinesMayEndAsOnWindowsAndCharactersAreWhole) {
  EXPECT_EQ(split("#version: 0.2\r\nß €\r\n", U"ß€x"), (Ends{2, 3}));
  EXPECT_EQ(split("#version: 0.2.0\nß €", U"ß€x"), (Ends{2, 3}));
}

TEST(BpeMerges, AVeryLongWordTakesNoTime) {
  std::string merges = "#version: 0.2\n", symbol = "a";
  for (int i = 0; i < 12; ++i) {
    merges += symbol;
    merges += ' ';
    merges += symbol;
    merges += '\n';
    symbol += symbol;
  }
  const Ends ends = split(merges, std::u32string(1'000'000, U'a'));
  EXPECT_EQ(ends.front(), 4096u);
  EXPECT_EQ(ends.back(), 1'000'000u);
}

TEST(BpeMerges, SamplingLeavesMergesOut) {
  const BpeMerges merges = BpeMerges::parse("#version: 0.2\na b\nab a\naba b\n", "bpe.model");
  const std::u32string word = U"abababz";
  std::set<Ends> seen;
  for (uint64_t i = 0; i < 50; ++i) {
    Rng rng(i);
    const Ends ends = merges.sample(word, 0.5, rng);
    EXPECT_EQ(ends.back(), word.size());
    seen.insert(ends);
  }
  EXPECT_GT(seen.size(), 3u);
  Rng rng(1);
  EXPECT_EQ(merges.sample(word, 0, rng), merges.split(word));
  EXPECT_EQ(merges.sample(word, 1, rng), (Ends{1, 2, 3, 4, 5, 6, 7}));
}

TEST(BpeMerges, WhatIsNoFileOfMergesIsRefused) {
  const auto refusal = [](const std::string& text) {
    return error_of([&] { BpeMerges::parse(text, "bpe.model"); });
  };
  EXPECT_EQ(refusal(""), "bpe.model: is empty, but merges of byte-pair encoding were expected");
  EXPECT_EQ(refusal("#version: 0.2\n"), "bpe.model: has no merges");
  EXPECT_EQ(refusal("#version: 0.3\na b\n"),
            "bpe.model: is of version \"0.3\", but 0.1 or 0.2 was expected");
  EXPECT_EQ(refusal("#version: 0.2 byte\na b\n"),
            "bpe.model: is of version \"byte\", but 0.1 or 0.2 was expected");
  EXPECT_EQ(refusal("a b\na \xff\n"), "bpe.model: is not UTF-8");
  const std::string expected = ", but two symbols with a space between them were expected";
  EXPECT_EQ(refusal("#version: 0.2\na b\nabc\n"), "bpe.model: line 3 is \"abc\"" + expected);
  EXPECT_EQ(refusal("a b\n\nc d\n"), "bpe.model: line 2 is \"\"" + expected);
  EXPECT_EQ(refusal("a b c\n"), "bpe.model: line 1 is \"a b c\"" + expected);
}

}  // namespace
}  // namespace heed
