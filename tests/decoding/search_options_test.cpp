#include "heed/decoding/search_options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "error_of.h"

namespace heed {
namespace {

TEST(SearchOptions, LimitTheLength) {
  const SearchOptions options{.max_length = 20, .max_ratio = 2, .min_length = 8};
  EXPECT_EQ(longest_hypothesis(options, 6), 12);
  EXPECT_EQ(longest_hypothesis(options, 100), 20);
  EXPECT_EQ(longest_hypothesis(options, 1), 9);       // room for the shortest and its end
  EXPECT_EQ(longest_hypothesis(options, 5, 30), 30);  // and for a prefix, whatever its length
  SearchOptions tight = options;
  tight.min_length = 20;
  EXPECT_EQ(longest_hypothesis(tight, 1), 20);
  EXPECT_EQ(longest_hypothesis({.max_ratio = 1e300}, 3), std::numeric_limits<int64_t>::max());
}

TEST(SearchOptions, TakeTheLimitFromWhatTheModelHasLearntFrom) {
  const SearchOptions options{.lengths = {100, 120, 3}};
  EXPECT_EQ(longest_hypothesis(options, 10), 55);
  EXPECT_EQ(longest_hypothesis(options, 10, 80), 81);  // room for the end of a prefix
  EXPECT_EQ(longest_hypothesis({.max_length = 400, .lengths = {100, 120, 3}}, 10), 400);
  EXPECT_EQ(longest_hypothesis({.max_ratio = 20, .lengths = {100, 120, 3}}, 10), 200);
}

TEST(SearchOptions, ScoreByLength) {
  EXPECT_EQ(hypothesis_score({.length_penalty = 0}, -6.0, 3), -6.0);
  EXPECT_EQ(hypothesis_score({.length_penalty = 1}, -6.0, 3), -2.0);
  EXPECT_NEAR(hypothesis_score({.length_penalty = 0.5}, -6.0, 4), -3.0, 1e-12);
}

// What beam search and sampling refuse is tested with them.
TEST(SearchOptions, AnyNumberOfSamplesMayBeWanted) {
  SearchOptions options{.beam = 1, .n_best = 50};
  EXPECT_EQ(testing::error_of([&] { check(options); }),
            "beam search: the 50 best were requested from a beam of 1");
  EXPECT_EQ(testing::error_kind_of([&] { check(options); }), ErrorKind::usage);
  options.sampling = Sampling{};
  EXPECT_EQ(testing::error_of([&] { check(options); }), "(nothing was thrown)");
}

}  // namespace
}  // namespace heed
