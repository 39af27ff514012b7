#include "heed/attention/attend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>

#include "attend_results.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/layout.h"
#include "heed/autograd/linear.h"
#include "heed/autograd/normalisation.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::boolean_mask;
using testing::close_tensors;
using testing::expect_same;
using testing::random_tensor;
using testing::Results;
using testing::results_of;
using testing::score_parameters;
using testing::values_of;

constexpr float infinity = std::numeric_limits<float>::infinity();

// The sum of the values, weighted by the weights that attention returned: both (rows, columns) per
// head of each sequence, (batch, heads, queries, keys) and (batch, KV heads, keys, width) ->
// (batch, heads, queries, width).
Tensor weighted_sum(const Tensor& weights, const Tensor& values) {
  const int64_t batch = weights.shape()[0], heads = weights.shape()[1],
                queries = weights.shape()[2], keys = weights.shape()[3], width = values.shape()[3],
                kv_heads = values.shape()[1];
  Tensor result = Tensor::zeros({batch, heads, queries, width});
  for (int64_t m = 0; m < batch * heads; ++m) {
    const int64_t value_matrix = m / heads * kv_heads + m % heads / (heads / kv_heads);
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t j = 0; j < keys; ++j)
        for (int64_t c = 0; c < width; ++c)
          result.data<float>()[(m * queries + i) * width + c] +=
              weights.data<float>()[(m * queries + i) * keys + j] *
              values.data<float>()[(value_matrix * keys + j) * width + c];
  }
  return result;
}

TEST(Attend, WeighsTheValuesByTheSoftmaxOfTheScores) {
  Tape tape;
  const float third =
      std::log(3.0f);  // so that the second key has three times the weight of the first
  const Attended attended = attend({.queries = tape.constant(Tensor::of({2, 1}, {1, 0})),
                                    .keys = tape.constant(Tensor::of({2, 1}, {0, third})),
                                    .values = tape.constant(Tensor::of({2, 2}, {8, 0, 0, 4})),
                                    .want_weights = true});
  EXPECT_TRUE(close_tensors(attended.weights, Tensor::of({2, 2}, {0.25f, 0.75f, 0.5f, 0.5f})));
  EXPECT_TRUE(close_tensors(attended.output.value(), Tensor::of({2, 2}, {2, 3, 4, 2})));
}

TEST(Attend, GivesNoWeightsUnlessTheyAreWanted) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({3, 4}, 1));
  EXPECT_FALSE(attend({.queries = x, .keys = x, .values = x}).weights.present());
}

TEST(Attend, IsWhatItsStepsAreOneByOne) {
  Tape fused, composed;
  const Tensor q = random_tensor({5, 4}, 1), k = random_tensor({7, 4}, 2),
               v = random_tensor({7, 3}, 3);
  const Tensor gradient = random_tensor({5, 3}, 4);
  const Attended attended =
      attend({.queries = fused.watch(q), .keys = fused.watch(k), .values = fused.watch(v)});
  fused.backward(attended.output, gradient);
  // linear(q, k) is q kᵀ.
  const Variable scores = scale(linear(composed.watch(q), composed.watch(k)), 0.5);
  const Variable output = matmul(softmax(scores), composed.watch(v));
  composed.backward(output, gradient);
  EXPECT_TRUE(close_tensors(attended.output.value(), output.value()));
  for (const Tensor& input : {q, k, v})
    EXPECT_TRUE(close_tensors(fused.gradient_of(input), composed.gradient_of(input)));
}

// The weights.

void expect_rows_sum_to_one_or_zero(const Tensor& weights) {
  const int64_t keys = weights.shape()[-1];
  for (int64_t row = 0; row < weights.elements() / keys; ++row) {
    double sum = 0;
    for (int64_t j = 0; j < keys; ++j) {
      EXPECT_GE(weights[row * keys + j], 0.0);
      sum += weights[row * keys + j];
    }
    EXPECT_TRUE(sum == 0.0 || std::abs(sum - 1.0) < 1e-5) << "row " << row << " sums to " << sum;
  }
}

TEST(AttendWeights, AreTheOnesThatWereUsed) {
  for (const ScoreKind kind : all_scores)
    for (const double dropout : {0.0, 0.5}) {
      Tape tape({.training = true, .seed = 5});
      std::vector<Variable> parameters;
      for (const Tensor& parameter : score_parameters(kind, 4, 4))
        parameters.push_back(tape.constant(parameter));
      const Tensor v = random_tensor({2, 2, 9, 3}, 3);
      const Attended attended =
          attend({.queries = tape.constant(random_tensor({2, 4, 70, 4}, 1)),
                  .keys = tape.constant(random_tensor({2, 2, 9, 4}, 2)),
                  .values = tape.constant(v),
                  .score = make_score(kind, parameters),
                  .mask = {.valid_lengths = {7, 9},
                           .allowed = boolean_mask(
                               {70, 9}, [](int64_t i) { return i / 9 != 3 && i % 4 != 0; })},
                  .dropout = dropout,
                  .want_weights = true});
      EXPECT_TRUE(close_tensors(attended.output.value(), weighted_sum(attended.weights, v)))
          << name_of(kind);
      if (dropout == 0.0) expect_rows_sum_to_one_or_zero(attended.weights);
    }
}

TEST(AttendWeights, OfMaskedKeysAreZero) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({6, 4}, 1));
  const Tensor weights = attend({.queries = x,
                                 .keys = x,
                                 .values = x,
                                 .mask = {.causal = true, .window = 2},
                                 .want_weights = true})
                             .weights;
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j)
      EXPECT_EQ(weights[i * 6 + j] > 0.0, j <= i && j >= i - 2) << i << ", " << j;
}

TEST(AttendDropout, HappensInTrainingOnly) {
  const auto weights = [](bool training, uint64_t seed) {
    Tape tape({.training = training, .seed = seed});
    const Variable x = tape.constant(random_tensor({1, 2, 40, 4}, 1));
    return attend({.queries = x, .keys = x, .values = x, .dropout = 0.25, .want_weights = true})
        .weights;
  };
  expect_rows_sum_to_one_or_zero(weights(false, 1));
  const Tensor plain = weights(false, 1), dropped = weights(true, 1);
  int64_t zeros = 0;
  for (int64_t i = 0; i < plain.elements(); ++i) {
    if (dropped[i] == 0.0) {
      ++zeros;
    } else {
      EXPECT_NEAR(dropped[i], plain[i] / 0.75, 1e-5);
    }
  }
  EXPECT_NEAR(static_cast<double>(zeros) / static_cast<double>(plain.elements()), 0.25, 0.03);
  EXPECT_TRUE(close_tensors(weights(true, 1), dropped, 0, 0));
  EXPECT_FALSE(close_tensors(weights(true, 2), dropped));
}

TEST(AttendDropout, DiffersByHeadAndSequence) {
  Tape tape({.training = true, .seed = 1});
  const Variable x = tape.constant(Tensor::zeros({2, 2, 20, 4}));
  const Tensor weights =
      attend({.queries = x, .keys = x, .values = x, .dropout = 0.5, .want_weights = true}).weights;
  const Tensor matrices = weights.reshape({4, 400});
  for (int64_t a = 0; a < 4; ++a)
    for (int64_t b = 0; b < a; ++b)
      EXPECT_FALSE(close_tensors(matrices.slice(a, a + 1), matrices.slice(b, b + 1)))
          << a << " and " << b;
}

// Rows without keys.

std::string score_case_name(const ::testing::TestParamInfo<ScoreKind>& info) {
  return testing::test_name(name_of(info.param));
}

class NoKeyLeft : public ::testing::TestWithParam<ScoreKind> {};

TEST_P(NoKeyLeft, GivesZerosAndZeroGradients) {
  const int64_t queries = 3, keys = 4;
  const float all_masked[] = {-infinity, -infinity, -infinity, -infinity};
  const auto run_with = [&](const std::function<Mask(Tape&)>& make_mask, const char* what) {
    Tape tape;
    std::vector<Variable> parameters;
    for (const Tensor& parameter : score_parameters(GetParam(), 2, 2))
      parameters.push_back(tape.watch(parameter));
    const Variable q = tape.watch(random_tensor({queries, 2}, 1)),
                   k = tape.watch(random_tensor({keys, 2}, 2)),
                   v = tape.watch(random_tensor({keys, 2}, 3));
    const Attended attended = attend({.queries = q,
                                      .keys = k,
                                      .values = v,
                                      .score = make_score(GetParam(), parameters),
                                      .mask = make_mask(tape),
                                      .want_weights = true});
    tape.backward(attended.output, random_tensor({queries, 2}, 4));
    EXPECT_TRUE(close_tensors(attended.output.value(), Tensor::zeros({queries, 2}), 0, 0)) << what;
    EXPECT_TRUE(close_tensors(attended.weights, Tensor::zeros({queries, keys}), 0, 0)) << what;
    for (const Variable& input : {q, k, v})
      EXPECT_TRUE(close_tensors(input.gradient(), Tensor::zeros(input.shape()), 0, 0)) << what;
    for (const Variable& parameter : parameters)
      EXPECT_TRUE(close_tensors(parameter.gradient(), Tensor::zeros(parameter.shape()), 0, 0))
          << what;
  };
  run_with([](Tape&) { return Mask{.valid_lengths = {0}}; }, "valid length");
  run_with([](Tape&) { return Mask{.valid_lengths = {0, 0, 0}}; }, "valid lengths by query");
  run_with(
      [](Tape&) {
        return Mask{.allowed = boolean_mask({1, 1}, [](int64_t) { return false; })};
      },
      "mask");
  run_with([](Tape&) { return Mask{.window = 1, .first_query = 6}; }, "window");
  run_with(
      [&](Tape& tape) {
        return Mask{.bias =
                        tape.constant(Tensor::copy_of<float>({1, keys}, std::span(all_masked)))};
      },
      "bias");
}

INSTANTIATE_TEST_SUITE_P(EveryScore, NoKeyLeft, ::testing::ValuesIn(all_scores), score_case_name);

TEST(Attend, WithoutKeysGivesZeros) {
  Tape tape;
  const Variable q = tape.watch(random_tensor({2, 3, 4}, 1)),
                 k = tape.watch(Tensor::zeros({2, 0, 4}));
  const Attended attended = attend({.queries = q, .keys = k, .values = k, .want_weights = true});
  EXPECT_TRUE(close_tensors(attended.output.value(), Tensor::zeros({2, 3, 4}), 0, 0));
  EXPECT_EQ(attended.weights.shape(), (Shape{2, 3, 0}));
  tape.backward(attended.output, random_tensor({2, 3, 4}, 2));
  EXPECT_TRUE(close_tensors(q.gradient(), Tensor::zeros({2, 3, 4}), 0, 0));
}

TEST(Attend, DoesNotReadWhatLiesBehindTheValidLength) {
  for (const Type type : {Type::float32, Type::float64})
    for (const ScoreKind kind : all_scores) {
      const auto outcome = [&](double after) {
        Tape tape;
        std::vector<Variable> parameters;
        for (const Tensor& parameter : score_parameters(kind, 4, 4))
          parameters.push_back(tape.watch(parameter.to(type)));
        const Tensor q = random_tensor({70, 4}, 1).to(type), k = random_tensor({70, 4}, 2).to(type);
        k.slice(33, 70).fill(after);
        const Attended attended = attend({.queries = tape.watch(q),
                                          .keys = tape.watch(k),
                                          .values = tape.watch(k.clone()),
                                          .score = make_score(kind, parameters),
                                          .mask = {.valid_lengths = {33}}});
        tape.backward(attended.output, random_tensor({70, 4}, 3).to(type));
        return std::pair(attended.output.value().clone(), tape.gradient_of(q).clone());
      };
      const auto expected = outcome(0.0);
      const auto found = outcome(std::numeric_limits<double>::quiet_NaN());
      EXPECT_TRUE(close_tensors(found.first, expected.first))
          << name_of(kind) << " in " << name_of(type);
      EXPECT_TRUE(close_tensors(found.second, expected.second))
          << name_of(kind) << " in " << name_of(type);
    }
}

TEST(Attend, SurvivesLargeScores) {
  Tape tape;
  const Variable q = tape.watch(Tensor::of({2, 1}, {1e4f, -1e4f})),
                 k = tape.watch(Tensor::of({2, 1}, {1e4f, 1}));
  const Attended attended =
      attend({.queries = q, .keys = k, .values = k, .score = Dot{}, .want_weights = true});
  EXPECT_TRUE(close_tensors(attended.weights, Tensor::of({2, 2}, {1, 0, 0, 1})));
  tape.backward(attended.output, Tensor::full({2, 1}, 1.0));
  for (const double gradient : values_of(q.gradient())) EXPECT_TRUE(std::isfinite(gradient));
}

TEST(Attend, WithABiasOfMinusInfinityIsWithThatKeyMasked) {
  const Tensor q = random_tensor({3, 4}, 1), k = random_tensor({3, 4}, 2),
               gradient = random_tensor({3, 4}, 3);
  const float bias[] = {0, -infinity, 0, 0, 0, -infinity, -infinity, -infinity, 0};
  Tape tape;
  const Results biased =
      results_of({.mask = {.bias = tape.constant(Tensor::copy_of<float>({3, 3}, std::span(bias)))}},
                 q, k, k.clone(), gradient);
  const Mask masked{.allowed = boolean_mask({3, 3}, [&](int64_t i) { return bias[i] == 0; })};
  expect_same(biased, results_of({.mask = masked}, q, k, k.clone(), gradient));
}

TEST(Attend, NeverHoldsTheMatrixOfTheWeights) {
  const auto memory = [](int64_t length) {
    Tape tape;
    const Variable x = tape.watch(random_tensor({length, 8}, 1));
    tape.backward(attend({.queries = x, .keys = x, .values = x, .mask = {.causal = true}}).output,
                  random_tensor({length, 8}, 2));
    return tape.arena().used();
  };
  EXPECT_LT(memory(1024), 1024 * 8 * sizeof(float) * 10);
  EXPECT_LT(memory(1024), memory(512) * 21 / 10);
}

}  // namespace
}  // namespace heed
