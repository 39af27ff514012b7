#include "heed/kernels/cross_entropy.h"

#include <gtest/gtest.h>

#include <algorithm>
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

TEST(CrossEntropy, ExponentialsOfAnyWidthAndAlignmentEqualTheReference) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes) {
      SCOPED_TRACE(::testing::Message() << columns << " columns");
      GuardedFloats scores(random_floats(3 * columns, columns, 4.0), columns % 3);
      std::vector<double> expected = widened(scores.view());
      std::vector<float> shifts(3);
      std::vector<double> expected_shifts(3);
      std::vector<ScoreRow> rows(3), expected_rows(3);
      scores_to_exponentials(scores.span(), shifts, rows);
      reference::scores_to_exponentials<double>(expected, expected_shifts, expected_rows);
      EXPECT_TRUE(close(scores.view(), std::span<const double>(expected), 2e-5, 1e-6));
      EXPECT_TRUE(scores.intact());
      for (size_t r = 0; r < 3; ++r) {
        EXPECT_EQ(shifts[r], expected_shifts[r]);
        EXPECT_EQ(rows[r].shift, expected_rows[r].shift);
        EXPECT_NEAR(rows[r].sum, expected_rows[r].sum, 1e-5 * expected_rows[r].sum);
        EXPECT_NEAR(rows[r].total, expected_rows[r].total, 1e-4);
      }
    }
  });
}

TEST(CrossEntropy, GradientsOfAnyWidthAndAlignmentEqualTheReference) {
  for_every_target([] {
    const std::vector<float> factors = {0.5f, 1.0f, 0.01f};
    for (const size_t columns : awkward_sizes) {
      SCOPED_TRACE(::testing::Message() << columns << " columns");
      const std::vector<float> block = random_floats(3 * columns, columns, 1.0);
      GuardedFloats gradients(std::vector<float>(3 * columns), columns % 3);
      std::vector<float> expected(3 * columns);
      exponentials_to_gradients(block, factors, 0.001f, gradients.span());
      reference::exponentials_to_gradients<float>(block, factors, 0.001f, expected);
      EXPECT_TRUE(close(gradients.view(), std::span<const float>(expected), 1e-5, 1e-7));
      EXPECT_TRUE(gradients.intact());
    }
  });
}

// The state of a row does not depend on how its columns are cut into blocks, even if their scores
// differ by more than exponentials can.
TEST(CrossEntropy, BlocksAddUpToTheRow) {
  for_every_target([] {
    std::vector<float> scores = random_floats(100, 5, 20.0);
    for (size_t i = 0; i < 30; ++i) scores[i] -= 200.0f;
    for (size_t i = 30; i < 60; ++i) scores[i] -= 100.0f;
    double sum = 0, total = 0;
    for (const float score : scores) {
      sum += std::exp(static_cast<double>(score));
      total += score;
    }
    for (const size_t width : {1u, 7u, 50u, 100u}) {
      std::vector<ScoreRow> row(1);
      for (size_t begin = 0; begin < scores.size(); begin += width) {
        const size_t end = std::min(begin + width, scores.size());
        std::vector<float> block(scores.begin() + static_cast<std::ptrdiff_t>(begin),
                                 scores.begin() + static_cast<std::ptrdiff_t>(end));
        std::vector<float> shifts(1);
        scores_to_exponentials(block, shifts, row);
      }
      EXPECT_NEAR(row[0].log_sum(), std::log(sum), 1e-5) << width;
      EXPECT_NEAR(row[0].total, total, 1e-3) << width;
      const CrossEntropySums cost = row[0].cost(scores[3], 100, 0.1);
      EXPECT_NEAR(cost.negative_likelihood, std::log(sum) - scores[3], 1e-4);
      EXPECT_NEAR(cost.loss,
                  0.9 * (std::log(sum) - scores[3]) + 0.1 * (std::log(sum) - total / 100), 1e-4);
    }
  });
}

// The row of scores as one block.
ScoreRow row_of(std::vector<float>& scores) {
  std::vector<ScoreRow> rows(1);
  std::vector<float> shifts(1);
  scores_to_exponentials(scores, shifts, rows);
  return rows[0];
}

TEST(CrossEntropy, IsTheLogarithmOfTheVocabularyWhereNothingIsKnown) {
  std::vector<float> scores(50, 3.0f);
  const CrossEntropySums cost = row_of(scores).cost(3.0, 50, 0.1);
  EXPECT_NEAR(cost.loss, std::log(50.0), 1e-5);
  EXPECT_NEAR(cost.negative_likelihood, std::log(50.0), 1e-5);
}

TEST(CrossEntropy, LargeScoresNeitherOverflowNorVanish) {
  for_every_target([] {
    std::vector<float> extreme = {3e38f, -3e38f, 0.0f};
    EXPECT_EQ(row_of(extreme).cost(3e38f, 3, 0.0).loss, 0.0);
    EXPECT_EQ(extreme, (std::vector<float>{1.0f, 0.0f, 0.0f}));
    std::vector<float> large = {1000.0f, 1001.0f, -1000.0f};
    EXPECT_NEAR(row_of(large).cost(1001.0, 3, 0.0).loss, std::log1p(std::exp(-1.0)), 1e-6);
    EXPECT_EQ(large[2], 0.0f);
  });
}

// A NaN is a bug somewhere and must stay visible.
TEST(CrossEntropy, NanStaysVisible) {
  for_every_target([] {
    for (size_t at = 0; at < 40; ++at) {
      std::vector<float> scores(40, 0.5f);
      scores[at] = std::nanf("");
      const ScoreRow row = row_of(scores);
      EXPECT_TRUE(std::isnan(row.cost(0.5, 40, 0.1).loss)) << at;
      EXPECT_TRUE(std::isnan(row.cost(0.5, 40, 0.0).loss)) << at;
    }
  });
}

}  // namespace
}  // namespace heed::kernels
