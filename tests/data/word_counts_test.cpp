#include "heed/data/word_counts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace heed {
namespace {

using Counts = std::vector<std::pair<std::string, int64_t>>;

TEST(WordCounts, CountsWhatStandsBetweenSpaces) {
  WordCounts words(100, 1);
  words.add("b a  b");
  words.add("");
  words.add(" ü b ");
  EXPECT_EQ(words.counts(), (Counts{{"a", 1}, {"b", 3}, {"ü", 1}}));
  EXPECT_EQ(words.size().words, 5);
  EXPECT_EQ(words.size().distinct_words, 3);
  EXPECT_EQ(words.size().characters, 11);
  EXPECT_EQ(words.size().distinct_characters, 3);
}

TEST(WordCounts, ASampleStaysRepresentative) {
  constexpr int sentences = 20000;
  WordCounts words(1000, 1);
  // "often" is in every sentence, "half" in every second, and there are far too many rare words.
  for (int i = 0; i < sentences; ++i)
    words.add((i % 2 == 0 ? "often half rare" : "often rare") + std::to_string(i));
  int64_t often = 0, half = 0, rare = 0;
  for (const auto& [word, count] : words.counts())
    (word == "often" ? often : word == "half" ? half : rare) += count;
  EXPECT_LE(words.size().distinct_words, 1000);
  EXPECT_EQ(words.size().words, sentences * 5 / 2);
  EXPECT_GT(often, 300);
  EXPECT_NEAR(static_cast<double>(half) / static_cast<double>(often), 0.5, 0.1);
  EXPECT_NEAR(static_cast<double>(rare) / static_cast<double>(often), 1.0, 0.1);
}

TEST(WordCounts, TheSeedChooses) {
  const auto counts = [](uint64_t seed) {
    WordCounts words(50, seed);
    for (int i = 0; i < 1000; ++i) words.add(std::to_string(i));
    return words.counts();
  };
  EXPECT_EQ(counts(1), counts(1));
  EXPECT_NE(counts(1), counts(2));
  EXPECT_LE(counts(1).size(), 50u);
  EXPECT_GE(counts(1).size(), 15u);
}

TEST(WordCounts, EvenOneWordIsABound) {
  WordCounts words(1, 1);
  for (int i = 0; i < 100; ++i) words.add("a b c");
  EXPECT_LE(words.size().distinct_words, 1);
}

}  // namespace
}  // namespace heed
