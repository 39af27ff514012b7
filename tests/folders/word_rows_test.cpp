#include "heed/folders/word_rows.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/kernels/cross_entropy.h"

namespace heed {
namespace {

// What training a model would show that forbids one of its words: the mean over all words is in
// the loss.
TEST(WordRows, AForbiddenWordIsImpossibleAndHardlyChangesTheLoss) {
  std::vector<float> scores(10'000, 0.0f), shifts(1);
  scores.back() = never;
  std::vector<kernels::ScoreRow> rows(1);
  kernels::scores_to_exponentials(scores, shifts, rows);
  EXPECT_EQ(scores.back(), 0.0f);
  const kernels::CrossEntropySums cost = rows[0].cost(0.0, 10'000, 0.1);
  EXPECT_NEAR(cost.loss, cost.negative_likelihood, 0.02);
}

}  // namespace
}  // namespace heed
