#include "heed/data/corpus_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sample_text.h"

namespace heed {
namespace {

TEST(LengthCounts, SummariseLengths) {
  LengthCounts counts;
  EXPECT_EQ(counts.summary().longest, 0);
  for (int64_t length = 100; length >= 1; --length) counts.add(length);
  EXPECT_EQ(counts.summary().median, 50);
  EXPECT_EQ(counts.summary().percentile_95, 95);
  EXPECT_EQ(counts.summary().longest, 100);
}

TEST(CorpusStatistics, CountWordsAndCharacters) {
  CorpusStatistics statistics;
  statistics.add(" zwei  Wörter ", "猫");
  EXPECT_EQ(statistics.source().words.summary().longest, 2);
  EXPECT_EQ(statistics.source().characters.summary().longest, 14);
  EXPECT_EQ(statistics.target().words.summary().longest, 1);
  EXPECT_EQ(statistics.target().characters.summary().longest, 1);
}

TEST(CorpusStatistics, ADuplicateIsTheSamePairAgain) {
  CorpusStatistics statistics;
  EXPECT_TRUE(statistics.add("a", "b"));
  EXPECT_TRUE(statistics.add("a", "c"));
  EXPECT_TRUE(statistics.add("b", "a"));
  EXPECT_TRUE(statistics.add("", "ab"));
  EXPECT_FALSE(statistics.add("a", "b"));
  EXPECT_EQ(statistics.pairs(), 5);
  EXPECT_EQ(statistics.duplicates(), 1);
}

TEST(CorpusStatistics, SamplesComeFromEverywhere) {
  CorpusStatistics few;
  few.add("a", "b");
  EXPECT_EQ(few.samples().size(), 1u);
  CorpusStatistics many;
  for (int i = 10000; i < 20000; ++i) many.add(std::to_string(i), "x");
  const auto samples = many.samples();
  ASSERT_EQ(samples.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(samples));
  EXPECT_GT(samples.back().first, "12000");
  EXPECT_EQ(std::set(samples.begin(), samples.end()).size(), 5u);
}

}  // namespace
}  // namespace heed
