#include "heed/autograd/binary_cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "error_of.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;

double loss_of(float score, int32_t answer, const CrossEntropyOptions& options = {}) {
  Tape tape({.record = false});
  return binary_cross_entropy(tape.constant(Tensor::of({1}, {score})), std::vector<int32_t>{answer},
                              options)
      .value()[0];
}

double expected(double score, double answer) {
  const double p = 1 / (1 + std::exp(-score));
  return -answer * std::log(p) - (1 - answer) * std::log(1 - p);
}

TEST(BinaryCrossEntropy, EqualsItsDefinition) {
  for (const float score : {-3.0f, -0.5f, 0.0f, 0.5f, 3.0f})
    for (const int32_t answer : {0, 1}) {
      EXPECT_NEAR(loss_of(score, answer), expected(score, answer), 1e-6);
      EXPECT_NEAR(loss_of(score, answer, {.label_smoothing = 0.2}),
                  expected(score, 0.8 * answer + 0.1), 1e-6);
    }
}

TEST(BinaryCrossEntropy, LargeScoresDoNotOverflow) {
  EXPECT_EQ(loss_of(1000, 1), 0);
  EXPECT_EQ(loss_of(1000, 0), 1000);
  EXPECT_EQ(loss_of(-1000, 0), 0);
  EXPECT_EQ(loss_of(-1000, 1), 1000);
  EXPECT_TRUE(std::isnan(loss_of(std::nanf(""), 0)));
}

TEST(BinaryCrossEntropy, TheLikelihoodIsWithoutSmoothing) {
  double likelihood = 5;
  loss_of(0.5, 1, {.label_smoothing = 0.2, .negative_likelihood = &likelihood});
  EXPECT_NEAR(likelihood, 5 + expected(0.5, 1), 1e-6);
}

TEST(BinaryCrossEntropy, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of([&] { loss_of(0, 2); }),
            "binary_cross_entropy: an answer of 2 but 0 or 1 was expected");
  EXPECT_EQ(error_of([&] { loss_of(0, 1, {.label_smoothing = 1}); }),
            "binary_cross_entropy: a label smoothing of 1 but 0 <= label smoothing < 1 was "
            "expected");
  EXPECT_EQ(error_of([&] { loss_of(0, 1, {.r_drop = 1}); }),
            "binary_cross_entropy: R-Drop is not for answers of yes and no");
  Tape tape;
  EXPECT_EQ(error_of([&] {
              binary_cross_entropy(tape.constant(Tensor::zeros({2, 2})), std::vector<int32_t>{1});
            }),
            "binary_cross_entropy: 1 answers for 4 scores");
}

}  // namespace
}  // namespace heed
