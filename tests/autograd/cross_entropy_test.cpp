#include "heed/autograd/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/autograd/linear.h"
#include "heed/autograd/normalisation.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::random_tensor;
using testing::values_of;

// More tokens and words than are worked on at a time.
TEST(LinearCrossEntropy, EqualsItsComposition) {
  const int64_t tokens = 1500, vocabulary = 1000, width = 8;
  const Tensor x = random_tensor({tokens, width}, 1),
               weight = random_tensor({vocabulary, width}, 2),
               bias = random_tensor({vocabulary}, 3);
  std::vector<int32_t> targets;
  for (int32_t t = 0; t < tokens; ++t) targets.push_back(t * 331 % 1000);
  Tape fused, composed;
  double fused_likelihood = 0, composed_likelihood = 0;
  const Variable a =
      linear_cross_entropy(fused.watch(x), fused.watch(weight), fused.watch(bias), targets,
                           {.label_smoothing = 0.1, .negative_likelihood = &fused_likelihood});
  const Variable b =
      cross_entropy(linear(composed.watch(x), composed.watch(weight), composed.watch(bias)),
                    targets, {.label_smoothing = 0.1, .negative_likelihood = &composed_likelihood});
  EXPECT_NEAR(a.value()[0], b.value()[0], 1e-5 * b.value()[0]);
  EXPECT_NEAR(fused_likelihood, composed_likelihood, 1e-5 * composed_likelihood);
  fused.backward(a);
  composed.backward(b);
  for (const Tensor& input : {x, weight, bias})
    EXPECT_TRUE(close(values_of(fused.gradient_of(input)), values_of(composed.gradient_of(input)),
                      1e-5, 1e-5));
}

TEST(LinearCrossEntropy, ValuesAloneAreTheSame) {
  const Tensor x = random_tensor({5, 4}, 1), weight = random_tensor({30, 4}, 2);
  const std::vector<int32_t> targets = {1, 2, 3, 4, 29};
  Tape with, without({.record = false});
  EXPECT_NEAR(linear_cross_entropy(with.watch(x), with.watch(weight), {}, targets).value()[0],
              linear_cross_entropy(without.watch(x), without.watch(weight), {}, targets).value()[0],
              1e-5);
}

// More tokens and words than are processed at a time; each half must find its other half again.
TEST(LinearCrossEntropy, RDropEqualsItsDefinition) {
  const int64_t tokens = 1500, vocabulary = 500, width = 4;
  const Tensor x = random_tensor({tokens, width}, 1, Type::float64),
               weight = random_tensor({vocabulary, width}, 2, Type::float64);
  std::vector<int32_t> targets;
  for (int32_t t = 0; t < tokens; ++t) targets.push_back(t % 750 * 331 % 500);
  Tape tape;
  const auto cost = [&](double r_drop) {
    return linear_cross_entropy(tape.watch(x), tape.watch(weight), {}, targets,
                                {.label_smoothing = 0.1, .r_drop = r_drop})
        .value()[0];
  };
  const Variable probabilities = softmax(linear(tape.watch(x), tape.watch(weight), {}));
  double expected = 0;
  for (int64_t t = 0; t < tokens / 2; ++t)
    for (int64_t c = 0; c < vocabulary; ++c) {
      const double p = probabilities.value()[t * vocabulary + c],
                   q = probabilities.value()[(t + tokens / 2) * vocabulary + c];
      expected += 0.5 * (p - q) * std::log(p / q);
    }
  EXPECT_NEAR(cost(3.0) - cost(0.0), 3.0 * expected, 1e-9 * expected);
}

// The gradients of floats, which take another path, against those of doubles.
TEST(LinearCrossEntropy, RDropHasTheGradientsOfDoubles) {
  const int64_t tokens = 900, vocabulary = 500, width = 8;
  std::vector<int32_t> targets;
  for (int32_t t = 0; t < tokens; ++t) targets.push_back(t % 450);
  std::vector<std::vector<double>> found[2];
  for (const Type type : {Type::float32, Type::float64}) {
    const Tensor x = random_tensor({tokens, width}, 1, type),
                 weight = random_tensor({vocabulary, width}, 2, type);
    Tape tape;
    tape.backward(
        linear_cross_entropy(tape.watch(x), tape.watch(weight), {}, targets, {.r_drop = 5.0}));
    for (const Tensor& input : {x, weight})
      found[type == Type::float64].push_back(values_of(tape.gradient_of(input)));
  }
  for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(close(found[0][i], found[1][i], 1e-4, 1e-4));
}

// A token of weight 2 counts as if it were there twice, and one of weight 0 as if it were not.
TEST(LinearCrossEntropy, WeighsTokens) {
  const int64_t tokens = 900, vocabulary = 300, width = 4;
  const Tensor x = random_tensor({tokens, width}, 1, Type::float64),
               weight = random_tensor({vocabulary, width}, 2, Type::float64);
  std::vector<int32_t> targets, repeated;
  std::vector<float> weights;
  Tensor rows = Tensor::uninitialised({tokens, width}, Type::float64);
  int64_t row = 0;
  for (int64_t t = 0; t < tokens; ++t) {
    targets.push_back(static_cast<int32_t>(t % 250));
    weights.push_back(static_cast<float>(t % 3));
    for (int64_t time = 0; time < t % 3; ++time) {
      repeated.push_back(targets.back());
      rows.slice(row, row + 1).copy_from(x.slice(t, t + 1));
      ++row;
    }
  }
  ASSERT_EQ(row, tokens);
  Tape tape, other;
  double likelihood = 0, plain = 0;
  const Variable loss = linear_cross_entropy(tape.watch(x), tape.watch(weight), {}, targets,
                                             {.label_smoothing = 0.1,
                                              .weights = weights,
                                              .negative_likelihood = &likelihood}),
                 expected = linear_cross_entropy(other.watch(rows), other.watch(weight), {},
                                                 repeated, {.label_smoothing = 0.1});
  EXPECT_NEAR(loss.value()[0], expected.value()[0], 1e-9 * expected.value()[0]);
  tape.backward(loss);
  other.backward(expected);
  EXPECT_TRUE(
      close(values_of(tape.gradient_of(weight)), values_of(other.gradient_of(weight)), 1e-9, 1e-9));
  // How likely the text is does not depend on them.
  linear_cross_entropy(tape.constant(x), tape.constant(weight), {}, targets,
                       {.negative_likelihood = &plain});
  EXPECT_EQ(likelihood, plain);
}

TEST(LinearCrossEntropy, RefusesWhatDoesNotFit) {
  Tape tape;
  const Variable x = tape.watch(random_tensor({2, 4}, 1)),
                 weight = tape.watch(random_tensor({3, 4}, 2));
  EXPECT_EQ(error_of([&] { linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1}); }),
            "cross_entropy: 1 targets for 2 tokens");
  EXPECT_EQ(error_of([&] {
              linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1, 3});
            }),
            "cross_entropy: target 3 is not in a vocabulary of 3");
  EXPECT_EQ(
      error_of([&] {
        linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1, 2}, {.label_smoothing = 1.0});
      }),
      "cross_entropy: a label smoothing of 1 but 0 <= label smoothing < 1 was expected");
  const std::vector<float> one = {1};
  EXPECT_EQ(error_of([&] {
              linear_cross_entropy(x, weight, {}, std::vector<int32_t>{1, 2}, {.weights = one});
            }),
            "linear_cross_entropy: 1 weights for 2 tokens");
  const Variable three = tape.watch(random_tensor({3, 4}, 1));
  EXPECT_EQ(
      error_of([&] {
        linear_cross_entropy(three, weight, {}, std::vector<int32_t>{1, 2, 1}, {.r_drop = 5.0});
      }),
      "linear_cross_entropy: R-Drop needs an even number of tokens but there are 3");
}

}  // namespace
}  // namespace heed
