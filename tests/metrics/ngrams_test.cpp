#include "heed/metrics/ngrams.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Ngrams, CountsRuns) {
  const std::u32string text = U"banana";
  EXPECT_EQ(count_ngrams(text, 1), (NgramCounts{{U"b", 1}, {U"a", 3}, {U"n", 2}}));
  EXPECT_EQ(count_ngrams(text, 3), (NgramCounts{{U"ban", 1}, {U"ana", 2}, {U"nan", 1}}));
  EXPECT_EQ(count_ngrams(text, 6), (NgramCounts{{U"banana", 1}}));
  EXPECT_TRUE(count_ngrams(text, 7).empty());
  EXPECT_TRUE(count_ngrams(U"", 1).empty());
}

TEST(Ngrams, MatchesAreClipped) {
  const std::u32string many = U"aaaab", few = U"abb";
  EXPECT_EQ(count_matches(count_ngrams(many, 1), count_ngrams(few, 1)), 2);
  EXPECT_EQ(count_matches(count_ngrams(many, 2), count_ngrams(few, 2)), 1);
  EXPECT_EQ(count_matches(count_ngrams(many, 3), count_ngrams(few, 3)), 0);
}

TEST(Ngrams, EqualWordsGetEqualNumbers) {
  WordNumbers numbers;
  EXPECT_EQ(numbers.number({U"to", U"be", U"or", U"not", U"to", U"be"}),
            (std::u32string{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(numbers.number({U"not", U"now"}), (std::u32string{3, 4}));
}

}  // namespace
}  // namespace heed
