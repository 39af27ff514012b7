#include "heed/attention/attend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <tuple>

#include "attention_checks.h"
#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/layout.h"
#include "heed/autograd/linear.h"
#include "heed/autograd/normalisation.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;
using testing::score_parameters;
using testing::values_of;

constexpr float infinity = std::numeric_limits<float>::infinity();

Tensor columns_of(const Tensor& x, int64_t begin, int64_t end) {
  Tape tape;
  return slice_columns(tape.constant(x), begin, end).value().clone();
}

// (batch, length, heads × depth) -> (batch, heads, length, depth)
Tensor heads_apart(const Tensor& x, int64_t heads) {
  const int64_t batch = x.shape()[0], length = x.shape()[1], depth = x.shape()[2] / heads;
  Tensor result = Tensor::uninitialised({batch, heads, length, depth}, x.type());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < length; ++t)
        for (int64_t c = 0; c < depth; ++c)
          result.data<float>()[((b * heads + h) * length + t) * depth + c] =
              x.data<float>()[((b * length + t) * heads + h) * depth + c];
  return result;
}

// The sum of the values, weighted by the weights that attention returned: both (rows, columns) per head of
// each sequence, (batch, heads, queries, keys) and (batch, key heads, keys, depth) -> (batch, heads, queries,
// depth).
Tensor weighted_sum(const Tensor& weights, const Tensor& values) {
  const int64_t batch = weights.shape()[0], heads = weights.shape()[1], queries = weights.shape()[2],
                keys = weights.shape()[3], depth = values.shape()[3], key_heads = values.shape()[1];
  Tensor result = Tensor::zeros({batch, heads, queries, depth});
  for (int64_t m = 0; m < batch * heads; ++m) {
    const int64_t value_matrix = m / heads * key_heads + m % heads / (heads / key_heads);
    for (int64_t i = 0; i < queries; ++i)
      for (int64_t j = 0; j < keys; ++j)
        for (int64_t c = 0; c < depth; ++c)
          result.data<float>()[(m * queries + i) * depth + c] +=
              weights.data<float>()[(m * queries + i) * keys + j] *
              values.data<float>()[(value_matrix * keys + j) * depth + c];
  }
  return result;
}

std::shared_ptr<const BooleanMask> boolean_mask(const Shape& shape,
                                                const std::function<bool(int64_t)>& allowed) {
  auto mask = std::make_shared<BooleanMask>();
  mask->shape = shape;
  for (int64_t i = 0; i < shape.elements(); ++i) mask->allowed.push_back(allowed(i) ? 1 : 0);
  return mask;
}

TEST(Attend, WeighsTheValuesByTheSoftmaxOfTheScores) {
  Tape tape;
  const float third = std::log(3.0f);  // so that the second key has three times the weight of the first
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
  const Tensor q = random_tensor({5, 4}, 1), k = random_tensor({7, 4}, 2), v = random_tensor({7, 3}, 3);
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

// Gradients, for every score with masks of every kind.

enum class MaskKind { none, causal, window, valid_lengths, boolean, bias, distance_bias, combination };
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
      mask.allowed = boolean_mask({queries, keys}, [](int64_t i) { return i / keys != 1 && i % 3 != 1; });
    if (has(MaskKind::bias)) mask.bias = bias;
    if (has(MaskKind::distance_bias)) mask.distance_bias = {table, 2};
    return mask;
  }

  // The inputs are queries, keys, values, bias, table and the score's parameters.
  static void check(const Shape& query_shape, const Shape& key_shape, const Attention& attention) {
    const ScoreKind kind = std::get<ScoreKind>(GetParam());
    std::vector<Tensor> inputs = {random_tensor(query_shape, 1), random_tensor(key_shape, 2),
                                  random_tensor(key_shape.with_last(3 * attention.heads), 3),
                                  random_tensor({queries, keys}, 4), random_tensor({attention.heads, 4}, 5)};
    for (const Tensor& parameter : score_parameters(kind, 2, 2)) inputs.push_back(parameter);
    const GradientCheckResult result = check_gradients(inputs,
                                                       [&](Tape&, const std::vector<Variable>& given) {
                                                         Attention complete = attention;
                                                         complete.queries = given[0];
                                                         complete.keys = given[1];
                                                         complete.values = given[2];
                                                         complete.mask = make_mask(given[3], given[4]);
                                                         complete.score =
                                                             make_score(kind, std::span(given).subspan(5));
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
    const GradientCheckResult result =
        check_gradients({random_tensor({2, 3, 4}, 1), random_tensor({2, 5, 4}, 2), random_tensor(shape, 3)},
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
  for (const int64_t key_heads : {1, 2}) {
    const GradientCheckResult result =
        check_gradients({random_tensor({2, 3, 8}, 1), random_tensor({2, 5, 2 * key_heads}, 2),
                         random_tensor({2, 5, 3 * key_heads}, 3)},
                        [&](Tape&, const std::vector<Variable>& given) {
                          return attend({.queries = given[0],
                                         .keys = given[1],
                                         .values = given[2],
                                         .mask = {.causal = true},
                                         .heads = 4,
                                         .key_heads = key_heads})
                              .output;
                        });
    EXPECT_TRUE(result.passed) << key_heads << " key heads: " << result.complaint;
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
  const Variable sum =
      add(apart.constant(q.gradient()), add(apart.constant(k.gradient()), apart.constant(v.gradient())));
  EXPECT_TRUE(close_tensors(all.gradient(), sum.value()));
}

TEST(AttendGradient, OfWhatIsNotWatchedIsNotAsked) {
  Tape tape;
  const Variable q = tape.watch(random_tensor({3, 4}, 1)), k = tape.constant(random_tensor({5, 4}, 2));
  const Attended attended = attend({.queries = q, .keys = k, .values = k});
  tape.backward(attended.output, Tensor::full({3, 4}, 1.0));
  EXPECT_TRUE(q.gradient().present());
  EXPECT_FALSE(k.needs_gradient());
  const NoGrad no_grad(tape);
  EXPECT_FALSE(attend({.queries = q, .keys = k, .values = k}).output.needs_gradient());
}

// The different ways to lay out the same attention.

// Output, weights and the gradients of queries, keys and values, as plain numbers.
struct Results {
  std::vector<double> output, weights, queries, keys, values;
};

Results run(const Attention& given, const Tensor& q, const Tensor& k, const Tensor& v,
            const Tensor& gradient) {
  Tape tape;
  Attention attention = given;
  attention.queries = tape.watch(q);
  attention.keys = tape.watch(k);
  attention.values = tape.watch(v);
  attention.want_weights = true;
  const Attended attended = attend(attention);
  tape.backward(attended.output, gradient);
  return {values_of(attended.output.value()), values_of(attended.weights), values_of(tape.gradient_of(q)),
          values_of(tape.gradient_of(k)), values_of(tape.gradient_of(v))};
}

void expect_same(const Results& actual, const Results& expected) {
  EXPECT_TRUE(testing::close(actual.output, expected.output, 1e-5, 1e-6)) << "output";
  EXPECT_TRUE(testing::close(actual.weights, expected.weights, 1e-5, 1e-6)) << "weights";
  EXPECT_TRUE(testing::close(actual.queries, expected.queries, 1e-5, 1e-6)) << "queries";
  EXPECT_TRUE(testing::close(actual.keys, expected.keys, 1e-5, 1e-6)) << "keys";
  EXPECT_TRUE(testing::close(actual.values, expected.values, 1e-5, 1e-6)) << "values";
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(AttendLayout, OfTwoThreeAndFourAxesIsTheSame) {
  const Tensor q = random_tensor({5, 4}, 1), k = random_tensor({7, 4}, 2), v = random_tensor({7, 3}, 3);
  const Tensor gradient = random_tensor({5, 3}, 4);
  const Results two = run({.mask = {.causal = true}}, q, k, v, gradient);
  expect_same(run({.mask = {.causal = true}}, q.reshape({1, 5, 4}), k.reshape({1, 7, 4}),
                  v.reshape({1, 7, 3}), gradient.reshape({1, 5, 3})),
              two);
  expect_same(run({.mask = {.causal = true}}, q.reshape({1, 1, 5, 4}), k.reshape({1, 1, 7, 4}),
                  v.reshape({1, 1, 7, 3}), gradient.reshape({1, 1, 5, 3})),
              two);
  expect_same(run({.mask = {.causal = true}, .query_layout = Ragged({5}), .key_layout = Ragged({7})}, q, k, v,
                  gradient),
              two);
}

TEST(AttendLayout, TellsTheShapeOfTheWeights) {
  const auto weights_shape = [](const Shape& queries, const Shape& keys, int64_t heads) {
    Tape tape;
    const Variable q = tape.constant(Tensor::zeros(queries)), k = tape.constant(Tensor::zeros(keys));
    return attend({.queries = q, .keys = k, .values = k, .heads = heads, .want_weights = true})
        .weights.shape();
  };
  EXPECT_EQ(weights_shape({5, 4}, {7, 4}, 1), (Shape{5, 7}));
  EXPECT_EQ(weights_shape({5, 4}, {7, 4}, 2), (Shape{2, 5, 7}));
  EXPECT_EQ(weights_shape({3, 5, 4}, {3, 7, 4}, 1), (Shape{3, 5, 7}));
  EXPECT_EQ(weights_shape({3, 5, 4}, {3, 7, 4}, 2), (Shape{3, 2, 5, 7}));
  EXPECT_EQ(weights_shape({3, 2, 5, 4}, {3, 2, 7, 4}, 1), (Shape{3, 2, 5, 7}));
  EXPECT_EQ(weights_shape({3, 1, 5, 4}, {3, 1, 7, 4}, 1), (Shape{3, 1, 5, 7}));
}

TEST(AttendLayout, OfABatchIsThatOfItsSequences) {
  const Tensor q = random_tensor({3, 5, 4}, 1), k = random_tensor({3, 7, 4}, 2),
               v = random_tensor({3, 7, 2}, 3);
  const Tensor gradient = random_tensor({3, 5, 2}, 4);
  const std::vector<int64_t> lengths = {7, 0, 3};
  Results parts;
  for (int64_t s = 0; s < 3; ++s) {
    const Results part =
        run({.mask = {.valid_lengths = {lengths[static_cast<size_t>(s)]}}}, q.slice(s, s + 1),
            k.slice(s, s + 1), v.slice(s, s + 1), gradient.slice(s, s + 1));
    append(parts.output, part.output);
    append(parts.weights, part.weights);
    append(parts.queries, part.queries);
    append(parts.keys, part.keys);
    append(parts.values, part.values);
  }
  expect_same(run({.mask = {.valid_lengths = lengths}}, q, k, v, gradient), parts);
}

TEST(AttendLayout, OfHeadsInColumnsIsThatOfHeadsApart) {
  const int64_t heads = 3;
  const Tensor q = random_tensor({2, 5, 3 * 4}, 1), k = random_tensor({2, 7, 3 * 4}, 2),
               v = random_tensor({2, 7, 3 * 2}, 3), gradient = random_tensor({2, 5, 3 * 2}, 4);
  Tape in_columns, apart;
  const Attended attended = attend({.queries = in_columns.watch(q),
                                    .keys = in_columns.watch(k),
                                    .values = in_columns.watch(v),
                                    .mask = {.causal = true},
                                    .heads = heads,
                                    .want_weights = true});
  in_columns.backward(attended.output, gradient);
  const Tensor q4 = heads_apart(q, heads), k4 = heads_apart(k, heads), v4 = heads_apart(v, heads);
  const Attended expected = attend({.queries = apart.watch(q4),
                                    .keys = apart.watch(k4),
                                    .values = apart.watch(v4),
                                    .mask = {.causal = true},
                                    .want_weights = true});
  apart.backward(expected.output, heads_apart(gradient, heads));
  EXPECT_TRUE(close_tensors(heads_apart(attended.output.value(), heads), expected.output.value()));
  EXPECT_TRUE(close_tensors(attended.weights, expected.weights));
  EXPECT_TRUE(close_tensors(heads_apart(in_columns.gradient_of(q), heads), apart.gradient_of(q4)));
  EXPECT_TRUE(close_tensors(heads_apart(in_columns.gradient_of(k), heads), apart.gradient_of(k4)));
  EXPECT_TRUE(close_tensors(heads_apart(in_columns.gradient_of(v), heads), apart.gradient_of(v4)));
}

TEST(AttendLayout, OfHeadsIsThatOfEachHeadAlone) {
  // With every score: each head has its own part of the depth, and all share the score's parameters.
  for (const ScoreKind kind : all_scores) {
    Tape tape;
    const Tensor q = random_tensor({5, 2 * 4}, 1), k = random_tensor({7, 2 * 4}, 2),
                 v = random_tensor({7, 2 * 3}, 3);
    std::vector<Variable> parameters;
    for (const Tensor& parameter : score_parameters(kind, 4, 4))
      parameters.push_back(tape.constant(parameter));
    const Score score = make_score(kind, parameters);
    const Attended both = attend({.queries = tape.constant(q),
                                  .keys = tape.constant(k),
                                  .values = tape.constant(v),
                                  .score = score,
                                  .heads = 2});
    for (int64_t h = 0; h < 2; ++h) {
      const Attended one = attend({.queries = tape.constant(columns_of(q, 4 * h, 4 * h + 4)),
                                   .keys = tape.constant(columns_of(k, 4 * h, 4 * h + 4)),
                                   .values = tape.constant(columns_of(v, 3 * h, 3 * h + 3)),
                                   .score = score});
      EXPECT_TRUE(close_tensors(columns_of(both.output.value(), 3 * h, 3 * h + 3), one.output.value()))
          << name_of(kind) << ", head " << h;
    }
  }
}

TEST(AttendLayout, OfGroupedKeyHeadsIsThatOfRepeatedKeys) {
  const Tensor q = random_tensor({2, 4, 5, 3}, 1), gradient = random_tensor({2, 4, 5, 3}, 2);
  for (const int64_t key_heads : {1, 2}) {
    const Tensor k = random_tensor({2, key_heads, 7, 3}, 3), v = random_tensor({2, key_heads, 7, 3}, 4);
    const auto repeated = [&](const Tensor& x) {
      Tensor result = Tensor::uninitialised({2, 4, 7, 3});
      for (int64_t m = 0; m < 8; ++m)
        std::copy_n(x.data<float>() + (m / 4 * key_heads + m % 4 / (4 / key_heads)) * 21, 21,
                    result.data<float>() + m * 21);
      return result;
    };
    Results expected = run({}, q, repeated(k), repeated(v), gradient);
    // A shared key collects the gradients of all its heads.
    const auto summed = [&](const std::vector<double>& x) {
      std::vector<double> sums(static_cast<size_t>(2 * key_heads * 21));
      for (size_t i = 0; i < x.size(); ++i) {
        const auto m = static_cast<int64_t>(i) / 21;
        sums[static_cast<size_t>((m / 4 * key_heads + m % 4 / (4 / key_heads)) * 21) + i % 21] += x[i];
      }
      return sums;
    };
    expected.keys = summed(expected.keys);
    expected.values = summed(expected.values);
    expect_same(run({}, q, k, v, gradient), expected);
  }
}

TEST(AttendLayout, OfGroupedKeyHeadsInColumnsIsThatOfHeadsApart) {
  Tape tape;
  const Tensor q = random_tensor({2, 5, 4 * 3}, 1), k = random_tensor({2, 7, 2 * 3}, 2);
  const Attended in_columns = attend({.queries = tape.constant(q),
                                      .keys = tape.constant(k),
                                      .values = tape.constant(k),
                                      .heads = 4,
                                      .key_heads = 2});
  const Variable k4 = tape.constant(heads_apart(k, 2));
  const Attended apart = attend({.queries = tape.constant(heads_apart(q, 4)), .keys = k4, .values = k4});
  EXPECT_TRUE(close_tensors(heads_apart(in_columns.output.value(), 4), apart.output.value()));
}

TEST(AttendLayout, OfARaggedBatchIsThatOfEachSequence) {
  const std::vector<int64_t> query_lengths = {3, 0, 5, 1}, key_lengths = {2, 4, 6, 0};
  const Ragged queries(query_lengths), keys(key_lengths);
  const Tensor q = random_tensor({9, 4}, 1), k = random_tensor({12, 4}, 2), v = random_tensor({12, 6}, 3);
  const Tensor gradient = random_tensor({9, 6}, 4);
  Tape tape;
  const Attended whole = attend({.queries = tape.watch(q),
                                 .keys = tape.watch(k),
                                 .values = tape.watch(v),
                                 .mask = {.window = 2},
                                 .heads = 2,
                                 .want_weights = true,
                                 .query_layout = queries,
                                 .key_layout = keys});
  tape.backward(whole.output, gradient);
  ASSERT_EQ(whole.weights.shape(), (Shape{4, 2, 5, 6}));
  for (int64_t s = 0; s < 4; ++s) {
    Tape alone;
    const Tensor sq = q.slice(queries.begin(s), queries.end(s)), sk = k.slice(keys.begin(s), keys.end(s)),
                 sv = v.slice(keys.begin(s), keys.end(s));
    const Attended part = attend({.queries = alone.watch(sq),
                                  .keys = alone.watch(sk),
                                  .values = alone.watch(sv),
                                  .mask = {.window = 2},
                                  .heads = 2,
                                  .want_weights = true});
    alone.backward(part.output, gradient.slice(queries.begin(s), queries.end(s)));
    EXPECT_TRUE(
        close_tensors(whole.output.value().slice(queries.begin(s), queries.end(s)), part.output.value()));
    EXPECT_TRUE(
        close_tensors(tape.gradient_of(q).slice(queries.begin(s), queries.end(s)), alone.gradient_of(sq)));
    EXPECT_TRUE(close_tensors(tape.gradient_of(k).slice(keys.begin(s), keys.end(s)), alone.gradient_of(sk)));
    EXPECT_TRUE(close_tensors(tape.gradient_of(v).slice(keys.begin(s), keys.end(s)), alone.gradient_of(sv)));
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t i = 0; i < 5; ++i)
        for (int64_t j = 0; j < 6; ++j) {
          const bool inside = i < queries.length(s) && j < keys.length(s);
          const double expected =
              inside ? part.weights[(h * queries.length(s) + i) * keys.length(s) + j] : 0.0;
          EXPECT_NEAR(whole.weights[((s * 2 + h) * 5 + i) * 6 + j], expected, 1e-6);
        }
  }
}

TEST(AttendLayout, OfNoSequencesGivesNothing) {
  for (const bool ragged : {false, true}) {
    Tape tape;
    const Shape shape = ragged ? Shape{0, 4} : Shape{0, 3, 4};
    const Variable x = tape.watch(Tensor::zeros(shape));
    Attention attention{.queries = x, .keys = x, .values = x, .mask = {.causal = true}, .want_weights = true};
    if (ragged) attention.query_layout = attention.key_layout = Ragged();
    const Attended attended = attend(attention);
    EXPECT_EQ(attended.output.shape(), shape);
    EXPECT_EQ(attended.weights.elements(), 0);
    tape.backward(attended.output, Tensor::zeros(shape));
    EXPECT_EQ(x.gradient().elements(), 0);
  }
}

TEST(AttendLayout, OfNoQueriesGivesNothingAndZeroGradients) {
  Tape tape;
  const Variable q = tape.watch(Tensor::zeros({2, 0, 4})), k = tape.watch(random_tensor({2, 3, 4}, 1));
  const Attended attended = attend({.queries = q, .keys = k, .values = k});
  EXPECT_EQ(attended.output.shape(), (Shape{2, 0, 4}));
  tape.backward(attended.output, Tensor::zeros({2, 0, 4}));
  EXPECT_TRUE(close_tensors(k.gradient(), Tensor::zeros({2, 3, 4}), 0, 0));
}

TEST(AttendLayout, OfALaterFirstQueryIsThatOfTheLastRows) {
  Tape tape;
  const Tensor x = random_tensor({9, 4}, 1);
  const Variable table = tape.constant(random_tensor({1, 9}, 2));
  const auto with = [&](int64_t first) {
    const Mask mask{.causal = true, .window = 5, .distance_bias = {table, 4}, .first_query = first};
    return attend({.queries = tape.constant(x.slice(first, 9)),
                   .keys = tape.constant(x),
                   .values = tape.constant(x),
                   .mask = mask})
        .output.value();
  };
  EXPECT_TRUE(close_tensors(with(6), with(0).slice(6, 9)));
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
      const Attended attended = attend(
          {.queries = tape.constant(random_tensor({2, 4, 70, 4}, 1)),
           .keys = tape.constant(random_tensor({2, 2, 9, 4}, 2)),
           .values = tape.constant(v),
           .score = make_score(kind, parameters),
           .mask = {.valid_lengths = {7, 9},
                    .allowed = boolean_mask({70, 9}, [](int64_t i) { return i / 9 != 3 && i % 4 != 0; })},
           .dropout = dropout,
           .want_weights = true});
      EXPECT_TRUE(close_tensors(attended.output.value(), weighted_sum(attended.weights, v))) << name_of(kind);
      if (dropout == 0.0) expect_rows_sum_to_one_or_zero(attended.weights);
    }
}

TEST(AttendWeights, OfMaskedKeysAreZero) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({6, 4}, 1));
  const Tensor weights =
      attend(
          {.queries = x, .keys = x, .values = x, .mask = {.causal = true, .window = 2}, .want_weights = true})
          .weights;
  for (int64_t i = 0; i < 6; ++i)
    for (int64_t j = 0; j < 6; ++j)
      EXPECT_EQ(weights[i * 6 + j] > 0.0, j <= i && j >= i - 2) << i << ", " << j;
}

TEST(AttendDropout, HappensInTrainingOnly) {
  const auto weights = [](bool training, uint64_t seed) {
    Tape tape({.training = training, .seed = seed});
    const Variable x = tape.constant(random_tensor({1, 2, 40, 4}, 1));
    return attend({.queries = x, .keys = x, .values = x, .dropout = 0.25, .want_weights = true}).weights;
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
      EXPECT_FALSE(close_tensors(matrices.slice(a, a + 1), matrices.slice(b, b + 1))) << a << " and " << b;
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
                   k = tape.watch(random_tensor({keys, 2}, 2)), v = tape.watch(random_tensor({keys, 2}, 3));
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
      EXPECT_TRUE(close_tensors(parameter.gradient(), Tensor::zeros(parameter.shape()), 0, 0)) << what;
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
        return Mask{.bias = tape.constant(Tensor::copy_of<float>({1, keys}, std::span(all_masked)))};
      },
      "bias");
}

INSTANTIATE_TEST_SUITE_P(EveryScore, NoKeyLeft, ::testing::ValuesIn(all_scores), score_case_name);

TEST(Attend, WithoutKeysGivesZeros) {
  Tape tape;
  const Variable q = tape.watch(random_tensor({2, 3, 4}, 1)), k = tape.watch(Tensor::zeros({2, 0, 4}));
  const Attended attended = attend({.queries = q, .keys = k, .values = k, .want_weights = true});
  EXPECT_TRUE(close_tensors(attended.output.value(), Tensor::zeros({2, 3, 4}), 0, 0));
  EXPECT_EQ(attended.weights.shape(), (Shape{2, 3, 0}));
  tape.backward(attended.output, random_tensor({2, 3, 4}, 2));
  EXPECT_TRUE(close_tensors(q.gradient(), Tensor::zeros({2, 3, 4}), 0, 0));
}

TEST(Attend, DoesNotReadWhatLiesBehindTheValidLength) {
  for (const Type type : {Type::float32, Type::float64})
    for (const ScoreKind kind : all_scores) {
      const auto outcome = [&](double behind) {
        Tape tape;
        std::vector<Variable> parameters;
        for (const Tensor& parameter : score_parameters(kind, 4, 4))
          parameters.push_back(tape.watch(parameter.to(type)));
        const Tensor q = random_tensor({70, 4}, 1).to(type), k = random_tensor({70, 4}, 2).to(type);
        k.slice(33, 70).fill(behind);
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
      EXPECT_TRUE(close_tensors(found.first, expected.first)) << name_of(kind) << " in " << name_of(type);
      EXPECT_TRUE(close_tensors(found.second, expected.second)) << name_of(kind) << " in " << name_of(type);
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
      run({.mask = {.bias = tape.constant(Tensor::copy_of<float>({3, 3}, std::span(bias)))}}, q, k, k.clone(),
          gradient);
  const Mask masked{.allowed = boolean_mask({3, 3}, [&](int64_t i) { return bias[i] == 0; })};
  expect_same(biased, run({.mask = masked}, q, k, k.clone(), gradient));
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

// Mistakes.

class AttendRefuses : public ::testing::Test {
 protected:
  Variable array(std::initializer_list<int64_t> sizes, Type type = Type::float32) {
    return tape_.watch(Tensor::zeros(Shape(sizes), type));
  }
  static std::string refusal(const Attention& attention) {
    return error_of([&] { attend(attention); });
  }

  Tape tape_;
};

TEST_F(AttendRefuses, MissingArrays) {
  const Variable x = array({3, 4});
  EXPECT_EQ(refusal({.keys = x, .values = x}), "attend: the queries are missing");
  EXPECT_EQ(refusal({.queries = x, .values = x}), "attend: the keys are missing");
  EXPECT_EQ(refusal({.queries = x, .keys = x}), "attend: the values are missing");
}

TEST_F(AttendRefuses, ShapesThatDoNotFit) {
  EXPECT_EQ(refusal({.queries = array({4}), .keys = array({4}), .values = array({4})}),
            "attend: the queries have shape (4) but 2 to 4 axes were expected");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({1, 3, 4}), .values = array({1, 3, 4})}),
            "attend: queries (3, 4), keys (1, 3, 4) and values (1, 3, 4) do not have the same leading sizes");
  EXPECT_EQ(
      refusal({.queries = array({2, 3, 4}), .keys = array({3, 3, 4}), .values = array({3, 3, 4})}),
      "attend: queries (2, 3, 4), keys (3, 3, 4) and values (3, 3, 4) do not have the same leading sizes");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 4}), .values = array({6, 4})}),
            "attend: keys (5, 4) and values (6, 4) do not pair up");
  EXPECT_EQ(
      refusal({.queries = array({1, 2, 3, 4}), .keys = array({1, 2, 3, 4}), .values = array({1, 1, 3, 4})}),
      "attend: keys (1, 2, 3, 4) and values (1, 1, 3, 4) do not pair up");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 3}), .values = array({5, 4})}),
            "attend: the scaled-dot score has query depth 4 but key depth 3");
  EXPECT_EQ(refusal({.queries = array({3, 0}), .keys = array({5, 0}), .values = array({5, 4})}),
            "attend: the queries have shape (3, 0), which has no depth");
  EXPECT_EQ(refusal({.queries = array({3, 4}), .keys = array({5, 4}), .values = array({5, 0})}),
            "attend: the values have shape (5, 0), which has no depth");
}

TEST_F(AttendRefuses, HeadsThatDoNotFit) {
  const Variable q = array({3, 4}), k = array({5, 4});
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 3}),
            "attend: 3 heads do not divide the depth 4 of the queries");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 0}),
            "attend: 0 heads do not divide the depth 4 of the queries");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 2, .key_heads = 4}),
            "attend: 4 key heads do not divide 2 query heads");
  EXPECT_EQ(refusal({.queries = q, .keys = k, .values = k, .heads = 2, .key_heads = -1}),
            "attend: -1 heads do not divide the depth 4 of the keys");
  const Variable apart = array({1, 2, 3, 4});
  EXPECT_EQ(refusal({.queries = apart, .keys = apart, .values = apart, .heads = 4}),
            "attend: 4 heads were asked for but the queries have shape (1, 2, 3, 4)");
  EXPECT_EQ(refusal({.queries = array({1, 3, 2, 4}), .keys = apart, .values = apart}),
            "attend: 2 key heads do not divide 3 query heads");
}

TEST_F(AttendRefuses, TypesThatDiffer) {
  const Variable x = array({3, 4}), exact = array({3, 4}, Type::float64);
  EXPECT_EQ(refusal({.queries = x, .keys = exact, .values = x}),
            "attend: the keys have type float64 but the queries float32");
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = exact}),
            "attend: the values have type float64 but the queries float32");
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .mask = {.bias = array({3, 3}, Type::float64)}}),
            "attend: the biases have type float64 but the queries float32");
  EXPECT_EQ(refusal({.queries = x,
                     .keys = x,
                     .values = x,
                     .mask = {.distance_bias = {array({1, 3}, Type::float64), 1}}}),
            "attend: the distance biases have type float64 but the queries float32");
}

TEST_F(AttendRefuses, LayoutsThatDoNotFit) {
  const Variable x = array({3, 4});
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .query_layout = Ragged({3})}),
            "attend: only one of the query and key layouts is given");
  EXPECT_EQ(
      refusal({.queries = x, .keys = x, .values = x, .query_layout = Ragged({2}), .key_layout = Ragged({3})}),
      "attend: the queries have shape (3, 4) but (2, depth) was expected for the ragged batch");
  EXPECT_EQ(
      refusal(
          {.queries = x, .keys = x, .values = x, .query_layout = Ragged({3}), .key_layout = Ragged({2, 2})}),
      "attend: the keys have shape (3, 4) but (4, depth) was expected for the ragged batch");
  const Variable rank_3 = array({1, 3, 4});
  EXPECT_EQ(refusal({.queries = rank_3,
                     .keys = rank_3,
                     .values = rank_3,
                     .query_layout = Ragged({3}),
                     .key_layout = Ragged({3})}),
            "attend: the queries have shape (1, 3, 4) but (3, depth) was expected for the ragged batch");
  EXPECT_EQ(
      refusal(
          {.queries = x, .keys = x, .values = x, .query_layout = Ragged({3}), .key_layout = Ragged({1, 2})}),
      "attend: 1 sequences of queries but 2 of keys");
}

TEST_F(AttendRefuses, MasksThatDoNotFit) {
  const Variable x = array({2, 3, 4});
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .mask = {.valid_lengths = {3, 4}}}),
            "attend: valid length 4 of sequence 1 is not between 0 and its 3 keys");
  EXPECT_EQ(refusal({.queries = x, .keys = x, .values = x, .mask = {.bias = array({3, 3, 3})}}),
            "attend: the bias has shape (3, 3, 3) but (3, 3) with leading sizes of (2, 1) or 1 was expected");
}

TEST_F(AttendRefuses, DropoutThatIsNoRate) {
  const Variable x = array({3, 4});
  for (const double rate : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(refusal({.queries = x, .keys = x, .values = x, .dropout = rate})
                    .starts_with("attend: a dropout rate of"))
        << rate;
}

}  // namespace
}  // namespace heed
