// The gradients of attention, for every score with masks of every kind.
#include <gtest/gtest.h>

#include <tuple>

#include "attend_results.h"
#include "heed/autograd/arithmetic.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::boolean_mask;
using testing::close_tensors;
using testing::random_tensor;
using testing::score_parameters;

enum class MaskKind {
  none,
  causal,
  window,
  valid_lengths,
  boolean,
  bias,
  distance_bias,
  combination
};
using GradientCase = std::tuple<ScoreKind, MaskKind>;

std::string name_of(MaskKind kind) {
  constexpr std::string_view names[] = {"none",    "causal", "window",        "valid_lengths",
                                        "boolean", "bias",   "distance_bias", "combination"};
  return std::string(names[static_cast<size_t>(kind)]);
}

std::string gradient_case_name(const ::testing::TestParamInfo<GradientCase>& info) {
  const auto& [score, mask] = info.param;
  return testing::test_name(name_of(score)) + "_" + name_of(mask);
}

class AttendGradients : public ::testing::TestWithParam<GradientCase> {
 protected:
  static constexpr int64_t queries = 4, keys = 5, sequences = 2;

  static bool has(MaskKind part) {
    const MaskKind kind = std::get<MaskKind>(GetParam());
    return kind == part || kind == MaskKind::combination;
  }

  static Mask make_mask(const Variable& bias, const Variable& table) {
    Mask mask;
    mask.causal = has(MaskKind::causal);
    if (has(MaskKind::window)) mask.window = 2;
    if (has(MaskKind::valid_lengths)) mask.valid_lengths = {4, 3};
    // The second row has no key left.
    if (has(MaskKind::boolean))
      mask.allowed =
          boolean_mask({queries, keys}, [](int64_t i) { return i / keys != 1 && i % 3 != 1; });
    if (has(MaskKind::bias)) mask.bias = bias;
    if (has(MaskKind::distance_bias)) mask.distance_bias = {table, 2};
    return mask;
  }

  // The inputs are queries, keys, values, bias, table and the score's parameters.
  static void check(const Shape& query_shape, const Shape& key_shape, const Attention& attention) {
    const ScoreKind kind = std::get<ScoreKind>(GetParam());
    std::vector<Tensor> inputs = {random_tensor(query_shape, 1), random_tensor(key_shape, 2),
                                  random_tensor(key_shape.with_last(3 * attention.heads), 3),
                                  random_tensor({queries, keys}, 4),
                                  random_tensor({attention.heads, 4}, 5)};
    for (const Tensor& parameter : score_parameters(kind, 2, 2)) inputs.push_back(parameter);
    const GradientCheckResult result =
        check_gradients(inputs,
                        [&](Tape&, const std::vector<Variable>& given) {
                          Attention complete = attention;
                          complete.queries = given[0];
                          complete.keys = given[1];
                          complete.values = given[2];
                          complete.mask = make_mask(given[3], given[4]);
                          complete.score = make_score(kind, std::span(given).subspan(5));
                          return attend(complete).output;
                        },
                        {.tape = {.training = true, .seed = 3}});
    EXPECT_TRUE(result.passed) << result.complaint;
  }
};

TEST_P(AttendGradients, OfADenseBatch) { check({sequences, queries, 2}, {sequences, keys, 2}, {}); }

TEST_P(AttendGradients, OfARaggedBatchWithHeads) {
  check({queries + 2, 4}, {keys + 3, 4},
        {.heads = 2, .query_layout = Ragged({queries, 2}), .key_layout = Ragged({keys, 3})});
}

TEST_P(AttendGradients, WithDropout) {
  check({sequences, queries, 2}, {sequences, keys, 2}, {.dropout = 0.4});
}

INSTANTIATE_TEST_SUITE_P(
    EveryScoreAndMask, AttendGradients,
    ::testing::Combine(::testing::ValuesIn(all_scores),
                       ::testing::Values(MaskKind::none, MaskKind::causal, MaskKind::window,
                                         MaskKind::valid_lengths, MaskKind::boolean, MaskKind::bias,
                                         MaskKind::distance_bias, MaskKind::combination)),
    gradient_case_name);

TEST(AttendGradient, ReachesABiasThroughAxesOfSizeOne) {
  for (const Shape& shape :
       {Shape{1, 5}, Shape{3, 1}, Shape{2, 1, 1}, Shape{1, 2, 3, 5}, Shape{2, 1, 3, 5}}) {
    const GradientCheckResult result = check_gradients(
        {random_tensor({2, 3, 4}, 1), random_tensor({2, 5, 4}, 2), random_tensor(shape, 3)},
        [&](Tape&, const std::vector<Variable>& given) {
          return attend({.queries = given[0],
                         .keys = given[1],
                         .values = given[1],
                         .mask = {.bias = given[2]},
                         .heads = 2})
              .output;
        });
    EXPECT_TRUE(result.passed) << shape.text() << ": " << result.complaint;
  }
}

TEST(AttendGradient, OfGroupedAndSharedKeyHeads) {
  for (const int64_t kv_heads : {1, 2}) {
    const GradientCheckResult result =
        check_gradients({random_tensor({2, 3, 8}, 1), random_tensor({2, 5, 2 * kv_heads}, 2),
                         random_tensor({2, 5, 3 * kv_heads}, 3)},
                        [&](Tape&, const std::vector<Variable>& given) {
                          return attend({.queries = given[0],
                                         .keys = given[1],
                                         .values = given[2],
                                         .mask = {.causal = true},
                                         .heads = 4,
                                         .kv_heads = kv_heads})
                              .output;
                        });
    EXPECT_TRUE(result.passed) << kv_heads << " KV heads: " << result.complaint;
  }
}

TEST(AttendGradient, IsTheSumWhereOneArrayIsQueriesKeysAndValues) {
  const Tensor x = random_tensor({2, 4, 3}, 1), gradient = random_tensor({2, 4, 3}, 2);
  Tape together;
  const Variable all = together.watch(x);
  together.backward(attend({.queries = all, .keys = all, .values = all}).output, gradient);
  Tape apart;
  const Variable q = apart.watch(x.clone()), k = apart.watch(x.clone()), v = apart.watch(x.clone());
  apart.backward(attend({.queries = q, .keys = k, .values = v}).output, gradient);
  const Variable sum = add(apart.constant(q.gradient()),
                           add(apart.constant(k.gradient()), apart.constant(v.gradient())));
  EXPECT_TRUE(close_tensors(all.gradient(), sum.value()));
}

TEST(AttendGradient, OfWhatIsNotWatchedIsNotAsked) {
  Tape tape;
  const Variable q = tape.watch(random_tensor({3, 4}, 1)),
                 k = tape.constant(random_tensor({5, 4}, 2));
  const Attended attended = attend({.queries = q, .keys = k, .values = k});
  tape.backward(attended.output, Tensor::full({3, 4}, 1.0));
  EXPECT_TRUE(q.gradient().present());
  EXPECT_FALSE(k.needs_gradient());
  const NoGrad no_grad(tape);
  EXPECT_FALSE(attend({.queries = q, .keys = k, .values = k}).output.needs_gradient());
}

}  // namespace
}  // namespace heed
