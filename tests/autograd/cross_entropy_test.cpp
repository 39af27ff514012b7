#include "heed/autograd/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/autograd/linear.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;

// More tokens and words than are worked on at a time.
TEST(LinearCrossEntropy, EqualsItsComposition) {
  const int64_t tokens = 1500, vocabulary = 1000, depth = 8;
  const Tensor x = random_tensor({tokens, depth}, 1), weight = random_tensor({vocabulary, depth}, 2),
               bias = random_tensor({vocabulary}, 3);
  std::vector<int32_t> targets;
  for (int32_t t = 0; t < tokens; ++t) targets.push_back(t * 331 % 1000);
  Tape fused, composed;
  double fused_likelihood = 0, composed_likelihood = 0;
  const Variable a = linear_cross_entropy(fused.watch(x), fused.watch(weight), fused.watch(bias), targets,
                                          {.smoothing = 0.1, .negative_likelihood = &fused_likelihood});
  const Variable b = cross_entropy(linear(composed.watch(x), composed.watch(weight), composed.watch(bias)),
                                   targets, {.smoothing = 0.1, .negative_likelihood = &composed_likelihood});
  EXPECT_NEAR(a.value()[0], b.value()[0], 1e-5 * b.value()[0]);
  EXPECT_NEAR(fused_likelihood, composed_likelihood, 1e-5 * composed_likelihood);
  fused.backward(a);
  composed.backward(b);
  for (const Tensor& input : {x, weight, bias})
    EXPECT_TRUE(
        close(values_of(fused.gradient_of(input)), values_of(composed.gradient_of(input)), 1e-5, 1e-5));
}

TEST(LinearCrossEntropy, ValuesAloneAreTheSame) {
  const Tensor x = random_tensor({5, 4}, 1), weight = random_tensor({30, 4}, 2);
  const std::vector<int32_t> targets = {1, 2, 3, 4, 29};
  Tape with, without({.record = false});
  EXPECT_NEAR(linear_cross_entropy(with.watch(x), with.watch(weight), {}, targets).value()[0],
              linear_cross_entropy(without.watch(x), without.watch(weight), {}, targets).value()[0], 1e-5);
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.watch(random_tensor({2, 4}, 1)), weight = tape.watch(random_tensor({3, 4}, 2));
  EXPECT_EQ(error_of([&] { linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1}); }),
            "cross_entropy: 1 targets for 2 tokens");
  EXPECT_EQ(error_of([&] {
              linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1, 3});
            }),
            "cross_entropy: target 3 is not in a vocabulary of 3");
  EXPECT_EQ(error_of([&] {
              linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1, 2}, {.smoothing = 1.0});
            }),
            "cross_entropy: a smoothing of 1 but 0 <= smoothing < 1 was expected");
}

}  // namespace
}  // namespace heed
