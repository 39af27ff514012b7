// The same attention in different layouts.
#include <gtest/gtest.h>

#include "attend_results.h"
#include "heed/autograd/layout.h"

namespace heed {
namespace {

using testing::all_scores;
using testing::close_tensors;
using testing::expect_same;
using testing::random_tensor;
using testing::Results;
using testing::results_of;
using testing::score_parameters;

Tensor columns_of(const Tensor& x, int64_t begin, int64_t end) {
  Tape tape;
  return slice_columns(tape.constant(x), begin, end).value().clone();
}

// (batch, length, heads × width) -> (batch, heads, length, width)
Tensor heads_apart(const Tensor& x, int64_t heads) {
  const int64_t batch = x.shape()[0], length = x.shape()[1], width = x.shape()[2] / heads;
  Tensor result = Tensor::uninitialised({batch, heads, length, width}, x.type());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t t = 0; t < length; ++t)
        for (int64_t c = 0; c < width; ++c)
          result.data<float>()[((b * heads + h) * length + t) * width + c] =
              x.data<float>()[((b * length + t) * heads + h) * width + c];
  return result;
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

TEST(AttendLayout, OfTwoThreeAndFourAxesIsTheSame) {
  const Tensor q = random_tensor({5, 4}, 1), k = random_tensor({7, 4}, 2),
               v = random_tensor({7, 3}, 3);
  const Tensor gradient = random_tensor({5, 3}, 4);
  const Results two = results_of({.mask = {.causal = true}}, q, k, v, gradient);
  expect_same(results_of({.mask = {.causal = true}}, q.reshape({1, 5, 4}), k.reshape({1, 7, 4}),
                         v.reshape({1, 7, 3}), gradient.reshape({1, 5, 3})),
              two);
  expect_same(
      results_of({.mask = {.causal = true}}, q.reshape({1, 1, 5, 4}), k.reshape({1, 1, 7, 4}),
                 v.reshape({1, 1, 7, 3}), gradient.reshape({1, 1, 5, 3})),
      two);
  expect_same(
      results_of({.mask = {.causal = true}, .query_layout = Ragged({5}), .key_layout = Ragged({7})},
                 q, k, v, gradient),
      two);
}

TEST(AttendLayout, TellsTheShapeOfTheWeights) {
  const auto weights_shape = [](const Shape& queries, const Shape& keys, int64_t heads) {
    Tape tape;
    const Variable q = tape.constant(Tensor::zeros(queries)),
                   k = tape.constant(Tensor::zeros(keys));
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
    const Results part = results_of({.mask = {.valid_lengths = {lengths[static_cast<size_t>(s)]}}},
                                    q.slice(s, s + 1), k.slice(s, s + 1), v.slice(s, s + 1),
                                    gradient.slice(s, s + 1));
    append(parts.output, part.output);
    append(parts.weights, part.weights);
    append(parts.queries, part.queries);
    append(parts.keys, part.keys);
    append(parts.values, part.values);
  }
  expect_same(results_of({.mask = {.valid_lengths = lengths}}, q, k, v, gradient), parts);
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
  // With every score: each head has its own part of the width, and all share the score's
  // parameters.
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
      EXPECT_TRUE(
          close_tensors(columns_of(both.output.value(), 3 * h, 3 * h + 3), one.output.value()))
          << name_of(kind) << ", head " << h;
    }
  }
}

TEST(AttendLayout, OfGroupedKeyHeadsIsThatOfRepeatedKeys) {
  const Tensor q = random_tensor({2, 4, 5, 3}, 1), gradient = random_tensor({2, 4, 5, 3}, 2);
  for (const int64_t kv_heads : {1, 2}) {
    const Tensor k = random_tensor({2, kv_heads, 7, 3}, 3),
                 v = random_tensor({2, kv_heads, 7, 3}, 4);
    const auto repeated = [&](const Tensor& x) {
      Tensor result = Tensor::uninitialised({2, 4, 7, 3});
      for (int64_t m = 0; m < 8; ++m)
        std::copy_n(x.data<float>() + (m / 4 * kv_heads + m % 4 / (4 / kv_heads)) * 21, 21,
                    result.data<float>() + m * 21);
      return result;
    };
    Results expected = results_of({}, q, repeated(k), repeated(v), gradient);
    // A shared key collects the gradients of all its heads.
    const auto summed = [&](const std::vector<double>& x) {
      std::vector<double> sums(static_cast<size_t>(2 * kv_heads * 21));
      for (size_t i = 0; i < x.size(); ++i) {
        const auto m = static_cast<int64_t>(i) / 21;
        sums[static_cast<size_t>((m / 4 * kv_heads + m % 4 / (4 / kv_heads)) * 21) + i % 21] +=
            x[i];
      }
      return sums;
    };
    expected.keys = summed(expected.keys);
    expected.values = summed(expected.values);
    expect_same(results_of({}, q, k, v, gradient), expected);
  }
}

TEST(AttendLayout, OfGroupedKeyHeadsInColumnsIsThatOfHeadsApart) {
  Tape tape;
  const Tensor q = random_tensor({2, 5, 4 * 3}, 1), k = random_tensor({2, 7, 2 * 3}, 2);
  const Attended in_columns = attend({.queries = tape.constant(q),
                                      .keys = tape.constant(k),
                                      .values = tape.constant(k),
                                      .heads = 4,
                                      .kv_heads = 2});
  const Variable k4 = tape.constant(heads_apart(k, 2));
  const Attended apart =
      attend({.queries = tape.constant(heads_apart(q, 4)), .keys = k4, .values = k4});
  EXPECT_TRUE(close_tensors(heads_apart(in_columns.output.value(), 4), apart.output.value()));
}

TEST(AttendLayout, OfARaggedBatchIsThatOfEachSequence) {
  const std::vector<int64_t> query_lengths = {3, 0, 5, 1}, key_lengths = {2, 4, 6, 0};
  const Ragged queries(query_lengths), keys(key_lengths);
  const Tensor q = random_tensor({9, 4}, 1), k = random_tensor({12, 4}, 2),
               v = random_tensor({12, 6}, 3);
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
    const Tensor sq = q.slice(queries.begin(s), queries.end(s)),
                 sk = k.slice(keys.begin(s), keys.end(s)), sv = v.slice(keys.begin(s), keys.end(s));
    const Attended part = attend({.queries = alone.watch(sq),
                                  .keys = alone.watch(sk),
                                  .values = alone.watch(sv),
                                  .mask = {.window = 2},
                                  .heads = 2,
                                  .want_weights = true});
    alone.backward(part.output, gradient.slice(queries.begin(s), queries.end(s)));
    EXPECT_TRUE(close_tensors(whole.output.value().slice(queries.begin(s), queries.end(s)),
                              part.output.value()));
    EXPECT_TRUE(close_tensors(tape.gradient_of(q).slice(queries.begin(s), queries.end(s)),
                              alone.gradient_of(sq)));
    EXPECT_TRUE(close_tensors(tape.gradient_of(k).slice(keys.begin(s), keys.end(s)),
                              alone.gradient_of(sk)));
    EXPECT_TRUE(close_tensors(tape.gradient_of(v).slice(keys.begin(s), keys.end(s)),
                              alone.gradient_of(sv)));
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
    Attention attention{
        .queries = x, .keys = x, .values = x, .mask = {.causal = true}, .want_weights = true};
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
  const Variable q = tape.watch(Tensor::zeros({2, 0, 4})),
                 k = tape.watch(random_tensor({2, 3, 4}, 1));
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

}  // namespace
}  // namespace heed
