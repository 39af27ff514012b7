#include "heed/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/cross_entropy.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

std::vector<int32_t> some_targets(size_t rows, size_t columns) {
  std::vector<int32_t> targets;
  for (size_t r = 0; r < rows; ++r) targets.push_back(static_cast<int32_t>(r * 7 % columns));
  return targets;
}

void expect_near(const CrossEntropySums& seen, const CrossEntropySums& expected) {
  EXPECT_NEAR(seen.loss, expected.loss, 1e-5 * std::abs(expected.loss) + 1e-5);
  EXPECT_NEAR(seen.negative_likelihood, expected.negative_likelihood,
              1e-5 * std::abs(expected.negative_likelihood) + 1e-5);
}

TEST(CrossEntropy, AnyWidthAnyAlignment) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes)
      for (const double smoothing : {0.0, 0.1}) {
        SCOPED_TRACE(::testing::Message() << columns << " columns, smoothing " << smoothing);
        GuardedFloats scores(random_floats(3 * columns, columns, 4.0), columns % 3);
        const std::vector<int32_t> targets = some_targets(3, columns);
        std::vector<double> expected = widened(scores.view());
        const int64_t width = static_cast<int64_t>(columns);
        const CrossEntropySums sums = cross_entropy_with_gradient(expected, targets, width, smoothing);
        expect_near(cross_entropy(scores.view(), targets, width, smoothing), sums);
        expect_near(cross_entropy_with_gradient(scores.span(), targets, width, smoothing), sums);
        EXPECT_TRUE(close(scores.view(), std::span<const double>(expected), 2e-5, 1e-6));
        EXPECT_TRUE(scores.intact());
      }
  });
}

TEST(CrossEntropy, IsTheLogarithmOfTheVocabularyWhereNothingIsKnown) {
  const std::vector<float> scores(2 * 50, 3.0f);
  const CrossEntropySums sums = cross_entropy(scores, std::vector<int32_t>{4, 9}, 50, 0.1);
  EXPECT_NEAR(sums.loss, 2 * std::log(50.0), 1e-5);
  EXPECT_NEAR(sums.negative_likelihood, 2 * std::log(50.0), 1e-5);
}

TEST(CrossEntropy, LargeScoresNeitherOverflowNorVanish) {
  for_every_target([] {
    std::vector<float> scores = {3e38f, -3e38f, 0.0f, 1000.0f, 1001.0f, -1000.0f};
    const std::vector<int32_t> targets = {0, 1};
    const CrossEntropySums sums = cross_entropy_with_gradient(scores, targets, 3, 0.0);
    EXPECT_NEAR(sums.loss, std::log1p(std::exp(-1.0)), 1e-6);
    EXPECT_FLOAT_EQ(scores[0], 0.0f);
    EXPECT_FLOAT_EQ(scores[5], 0.0f);
  });
}

// A NaN is somebody's mistake and must stay visible.
TEST(CrossEntropy, NanStaysVisible) {
  for_every_target([] {
    for (size_t at = 0; at < 40; ++at) {
      std::vector<float> scores(40, 0.5f);
      scores[at] = std::nanf("");
      EXPECT_TRUE(std::isnan(cross_entropy(scores, std::vector<int32_t>{3}, 40, 0.1).loss)) << at;
      EXPECT_TRUE(std::isnan(cross_entropy(scores, std::vector<int32_t>{3}, 40, 0.0).loss)) << at;
    }
  });
}

}  // namespace
}  // namespace heed::kernels
