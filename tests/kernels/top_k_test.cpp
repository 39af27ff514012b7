#include "heed/kernels/top_k.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/top_k.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr size_t rows = 3;

struct Found {
  std::vector<int32_t> best;
  std::vector<float> log_probabilities;
};

Found top_k(std::span<const float> x, size_t columns, size_t k) {
  const size_t height = x.size() / columns;
  Found found{std::vector<int32_t>(height * k, -7), std::vector<float>(height * k, 7.0f)};
  log_softmax_top_k(x, static_cast<int64_t>(columns), static_cast<int64_t>(k), found.best,
                    found.log_probabilities);
  return found;
}

void expect_as_reference(std::span<const float> x, size_t columns, size_t k) {
  const size_t height = x.size() / columns;
  std::vector<int32_t> best(height * k);
  std::vector<double> log_probabilities(height * k);
  const std::vector<double> scores = widened(x);
  reference::log_softmax_top_k<double>(scores, static_cast<int64_t>(columns),
                                       static_cast<int64_t>(k), best, log_probabilities);
  const Found found = top_k(x, columns, k);
  EXPECT_EQ(found.best, best) << columns << " columns, k " << k;
  EXPECT_TRUE(close(found.log_probabilities, log_probabilities, 1e-6, 2e-6))
      << columns << " columns, k " << k;
}

TEST(TopK, AnyWidthAnyAlignmentAnyCount) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes)
      for (const size_t k : {1, 2, 6, 13, 200, 1000})
        if (k <= columns) {
          const GuardedFloats x(random_floats(rows * columns, columns + k, 4.0), k % 3);
          expect_as_reference(x.view(), columns, k);
          EXPECT_TRUE(x.intact());
        }
    for (const size_t columns : {10001, 32000})
      expect_as_reference(random_floats(columns, 5), columns, 6);
  });
}

// A falling row offers nothing new after its start, a rising one something at every step.
TEST(TopK, SortedRows) {
  for_every_target([] {
    std::vector<float> x(2 * 1000);
    for (size_t i = 0; i < 1000; ++i) {
      x[i] = static_cast<float>(i) * 0.01f;
      x[1000 + i] = -x[i];
    }
    for (const size_t k : {1, 5, 999, 1000}) expect_as_reference(x, 1000, k);
  });
}

TEST(TopK, EqualScoresComeInTheOrderOfTheColumns) {
  for_every_target([] {
    const Found same = top_k(std::vector<float>(500, 3.0f), 500, 6);
    EXPECT_EQ(same.best, (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_NEAR(same.log_probabilities[5], -std::log(500.0), 1e-5);
    // Few different values, so that there are ties within and across blocks.
    std::vector<float> x = random_floats(4 * 700, 9);
    for (float& value : x) value = std::round(value);
    for (const size_t k : {1, 2, 7, 300, 700}) expect_as_reference(x, 700, k);
  });
}

TEST(TopK, MaskedColumnsComeLast) {
  for_every_target([] {
    for (const size_t columns : {5, 130, 1000}) {
      std::vector<float> x(columns, -infinity);
      x[columns - 1] = 2.0f;
      x[1] = 1.0f;
      const Found found = top_k(x, columns, 4);
      EXPECT_EQ(found.best, (std::vector<int32_t>{static_cast<int32_t>(columns) - 1, 1, 0, 2}));
      EXPECT_NEAR(found.log_probabilities[0], -std::log1p(std::exp(-1.0)), 1e-6);
      EXPECT_EQ(found.log_probabilities[2], -infinity);
    }
  });
}

// A NaN stays visible, and the columns are still valid.
TEST(TopK, ARowWithoutASoftmaxIsNan) {
  for_every_target([] {
    for (const size_t columns : {3, 8, 100, 1000})
      for (const float bad : {std::nanf(""), infinity})
        for (const size_t at : {size_t{0}, columns / 2, columns - 1}) {
          std::vector<float> x = random_floats(2 * columns, 3);
          x[at] = bad;
          const Found found = top_k(x, columns, 3);
          EXPECT_EQ(std::vector<int32_t>(found.best.begin(), found.best.begin() + 3),
                    (std::vector<int32_t>{0, 1, 2}));
          for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(found.log_probabilities[i]));
          for (size_t i = 3; i < 6; ++i) EXPECT_TRUE(std::isfinite(found.log_probabilities[i]));
        }
    const Found masked = top_k(std::vector<float>(20, -infinity), 20, 3);
    for (const float value : masked.log_probabilities) EXPECT_TRUE(std::isnan(value));
  });
}

TEST(TopK, LargeScoresNeitherOverflowNorVanish) {
  for_every_target([] {
    const std::vector<float> x = {1e30f, -1e30f, 1e30f, 104.0f, 0.0f, -104.0f};
    const Found found = top_k(x, 3, 3);
    EXPECT_EQ(found.best, (std::vector<int32_t>{0, 2, 1, 0, 1, 2}));
    EXPECT_EQ(found.log_probabilities[3], 0.0f);
    EXPECT_EQ(found.log_probabilities[4], -104.0f);
  });
}

}  // namespace
}  // namespace heed::kernels
