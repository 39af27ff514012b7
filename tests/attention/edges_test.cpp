// Where attention has little or nothing to work with, and where its numbers are none: for every
// score and every mask.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attend_results.h"

namespace heed {
namespace {

using namespace heed::testing;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t width = 3;

// A mask, and in plain words which keys a query sees by it.
struct MaskCase {
  const char* name;
  std::function<Mask(Tape&, const Ragged& queries, const Ragged& keys)> make;
  std::function<bool(int64_t query, int64_t key, int64_t keys)> sees;
};

// Shapes of at least one element, which stand for every index where a batch has no other.
Shape per_pair(const Ragged& queries, const Ragged& keys) {
  return {std::max<int64_t>(1, queries.longest()), std::max<int64_t>(1, keys.longest())};
}

bool is_even(int64_t query, int64_t key) { return (query + key) % 2 == 0; }

Mask even_mask(Tape&, const Ragged& queries, const Ragged& keys) {
  const Shape shape = per_pair(queries, keys);
  return {.allowed =
              boolean_mask(shape, [=](int64_t i) { return is_even(i / shape[1], i % shape[1]); })};
}

Mask even_bias(Tape& tape, const Ragged& queries, const Ragged& keys) {
  const Shape shape = per_pair(queries, keys);
  Tensor bias = Tensor::full(shape, 0.5);
  for (int64_t i = 0; i < shape.elements(); ++i)
    if (!is_even(i / shape[1], i % shape[1]))
      bias.span<float>()[static_cast<size_t>(i)] = -infinity;
  return {.bias = tape.watch(bias)};
}

Mask shorter_by_one(Tape&, const Ragged&, const Ragged& keys) {
  Mask mask;
  for (int64_t s = 0; s < keys.sequences(); ++s)
    mask.valid_lengths.push_back(std::max<int64_t>(0, keys.length(s) - 1));
  return mask;
}

Mask with_all(Tape& tape, const Ragged& queries, const Ragged& keys) {
  Mask mask = shorter_by_one(tape, queries, keys);
  mask.causal = true;
  mask.window = 1;
  mask.allowed = even_mask(tape, queries, keys).allowed;
  mask.bias = even_bias(tape, queries, keys).bias;
  mask.distance_bias = {tape.watch(random_tensor({1, 5}, 8)), 2};
  return mask;
}

const std::vector<MaskCase> every_mask = {
    {"None", [](Tape&, const Ragged&, const Ragged&) { return Mask{}; },
     [](int64_t, int64_t, int64_t) { return true; }},
    {"Causal", [](Tape&, const Ragged&, const Ragged&) { return Mask{.causal = true}; },
     [](int64_t query, int64_t key, int64_t) { return key <= query; }},
    {"Window", [](Tape&, const Ragged&, const Ragged&) { return Mask{.window = 1}; },
     [](int64_t query, int64_t key, int64_t) { return std::abs(key - query) <= 1; }},
    {"ValidLengths", shorter_by_one,
     [](int64_t, int64_t key, int64_t keys) { return key < keys - 1; }},
    {"Boolean", even_mask, [](int64_t query, int64_t key, int64_t) { return is_even(query, key); }},
    {"Bias", even_bias, [](int64_t query, int64_t key, int64_t) { return is_even(query, key); }},
    {"DistanceBias",
     [](Tape& tape, const Ragged&, const Ragged&) {
       return Mask{.distance_bias = {tape.watch(random_tensor({1, 5}, 8)), 2}};
     },
     [](int64_t, int64_t, int64_t) { return true; }},
    {"AllTogether", with_all,
     [](int64_t query, int64_t key, int64_t keys) {
       return key == query && key < keys - 1;  // a key beside it is not an even one
     }},
};

// What comes out of attention, and what flows back.
struct Outcome {
  Tensor output, weights, queries, keys, values;
  std::vector<Tensor> parameters;
};

Tensor watched_copy(const Variable& variable) { return variable.gradient().clone(); }

struct Inputs {
  Tensor queries, keys, values, gradient;
  Ragged query_layout, key_layout;
};

Inputs random_inputs(const std::vector<int64_t>& queries, const std::vector<int64_t>& keys) {
  const Ragged of_queries(queries), of_keys(keys);
  return {random_tensor({of_queries.tokens(), width}, 1),
          random_tensor({of_keys.tokens(), width}, 2),
          random_tensor({of_keys.tokens(), width}, 3),
          random_tensor({of_queries.tokens(), width}, 4),
          of_queries,
          of_keys};
}

Outcome outcome_of(ScoreKind kind, const MaskCase& mask, const Inputs& in) {
  Tape tape;
  std::vector<Variable> parameters;
  for (const Tensor& parameter : score_parameters(kind, width, width))
    parameters.push_back(tape.watch(parameter));
  const Variable q = tape.watch(in.queries), k = tape.watch(in.keys), v = tape.watch(in.values);
  const Attended attended = attend({.queries = q,
                                    .keys = k,
                                    .values = v,
                                    .score = make_score(kind, parameters),
                                    .mask = mask.make(tape, in.query_layout, in.key_layout),
                                    .want_weights = true,
                                    .query_layout = in.query_layout,
                                    .key_layout = in.key_layout});
  tape.backward(attended.output, in.gradient);
  Outcome outcome = {attended.output.value().clone(),
                     attended.weights.clone(),
                     watched_copy(q),
                     watched_copy(k),
                     watched_copy(v),
                     {}};
  for (const Variable& parameter : parameters)
    outcome.parameters.push_back(watched_copy(parameter));
  return outcome;
}

bool is_finite(const Tensor& tensor) {
  return std::ranges::all_of(values_of(tensor), [](double value) { return std::isfinite(value); });
}

Tensor row_of(const Tensor& tensor, int64_t row) { return tensor.slice(row, row + 1); }

bool is_zero(const Tensor& tensor) {
  return std::ranges::all_of(values_of(tensor), [](double value) { return value == 0; });
}

using Case = std::tuple<ScoreKind, MaskCase>;

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return test_name(name_of(std::get<0>(info.param))) + "_" + std::get<1>(info.param).name;
}

class AttentionEdges : public ::testing::TestWithParam<Case> {
 protected:
  Outcome outcome(const Inputs& in) const {
    return outcome_of(std::get<0>(GetParam()), std::get<1>(GetParam()), in);
  }
  // Whether query i of sequence s sees any key.
  bool sees_any(const Inputs& in, int64_t s, int64_t i) const {
    for (int64_t j = 0; j < in.key_layout.length(s); ++j)
      if (std::get<1>(GetParam()).sees(i, j, in.key_layout.length(s))) return true;
    return false;
  }
};

// Sequences without queries, without keys, without either, and of one token.
TEST_P(AttentionEdges, EmptySequencesAndQueriesWithoutKeysGiveZeros) {
  const Inputs in = random_inputs({0, 1, 3, 2, 0, 1, 4}, {2, 0, 1, 4, 0, 1, 3});
  const Outcome found = outcome(in);
  for (const Tensor& tensor :
       {found.output, found.weights, found.queries, found.keys, found.values})
    EXPECT_TRUE(is_finite(tensor));
  for (const Tensor& parameter : found.parameters) EXPECT_TRUE(is_finite(parameter));
  const int64_t longest = in.key_layout.longest();
  for (int64_t s = 0; s < in.query_layout.sequences(); ++s)
    for (int64_t i = 0; i < in.query_layout.length(s); ++i) {
      const int64_t row = in.query_layout.begin(s) + i;
      double sum = 0;
      for (int64_t j = 0; j < longest; ++j)
        sum += found.weights[(s * in.query_layout.longest() + i) * longest + j];
      const bool any = sees_any(in, s, i);
      EXPECT_NEAR(sum, any ? 1 : 0, 1e-6) << "sequence " << s << ", query " << i;
      EXPECT_EQ(is_zero(row_of(found.output, row)), !any) << "sequence " << s << ", query " << i;
      if (!any) {
        EXPECT_TRUE(is_zero(row_of(found.queries, row))) << "sequence " << s << ", query " << i;
      }
    }
}

TEST_P(AttentionEdges, NothingGivesNothing) {
  for (const auto& [queries, keys] : {std::pair<std::vector<int64_t>, std::vector<int64_t>>{{}, {}},
                                      {{0}, {0}},
                                      {{0, 0}, {3, 0}}}) {
    const Inputs in = random_inputs(queries, keys);
    const Outcome found = outcome(in);
    EXPECT_EQ(found.output.shape(), (Shape{0, width}));
    for (const Tensor& gradient : {found.queries, found.keys, found.values})
      EXPECT_TRUE(is_zero(gradient));
    for (const Tensor& parameter : found.parameters) EXPECT_TRUE(is_zero(parameter));
  }
}

TEST_P(AttentionEdges, OfOneKeyIsItsValue) {
  const Inputs in = random_inputs({1}, {1});
  const Outcome found = outcome(in);
  const bool seen = sees_any(in, 0, 0);
  EXPECT_EQ(values_of(found.weights), std::vector<double>{seen ? 1.0 : 0.0});
  EXPECT_EQ(values_of(found.output),
            values_of(seen ? in.values : Tensor::zeros(in.values.shape())));
  // Softmax over one score is 1 whatever the score is.
  for (const Tensor& gradient : {found.queries, found.keys}) EXPECT_TRUE(is_zero(gradient));
}

INSTANTIATE_TEST_SUITE_P(EveryScoreAndMask, AttentionEdges,
                         ::testing::Combine(::testing::ValuesIn(all_scores),
                                            ::testing::ValuesIn(every_mask)),
                         case_name);

class NotFinite : public AttentionEdges {
 protected:
  bool sees(int64_t query, int64_t key, int64_t keys) const {
    return std::get<1>(GetParam()).sees(query, key, keys);
  }
};

void expect_equal_rows(const Tensor& found, const Tensor& expected, int64_t begin, int64_t end) {
  EXPECT_EQ(values_of(found.slice(begin, end)), values_of(expected.slice(begin, end)))
      << "rows " << begin << " to " << end;
}

// The second of two sequences has a number that is none. No query that depends on it gets a number,
// and nothing of it is found in the first sequence.
TEST_P(NotFinite, WhatDependsOnItIsNoNumberAndTheRestIsAsBefore) {
  const Inputs good = random_inputs({3, 4}, {2, 4});
  const Outcome expected = outcome(good);
  constexpr int64_t poisoned = 1;  // token of the second sequence
  const auto with_nan = [&](Tensor Inputs::*array, const Ragged& layout) {
    Inputs in = good;
    in.*array = (in.*array).clone();
    (in.*array).span<float>()[static_cast<size_t>((layout.begin(1) + poisoned) * width)] = nan;
    return outcome(in);
  };
  const Outcome query = with_nan(&Inputs::queries, good.query_layout),
                key = with_nan(&Inputs::keys, good.key_layout),
                value = with_nan(&Inputs::values, good.key_layout),
                gradient = with_nan(&Inputs::gradient, good.query_layout);
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t row = good.query_layout.begin(1) + i;
    if (sees(i, poisoned, 4)) {
      EXPECT_TRUE(std::isnan(key.output[row * width])) << i;
      EXPECT_TRUE(std::isnan(value.output[row * width])) << i;
    }
    if (i != poisoned) expect_equal_rows(query.output, expected.output, row, row + 1);
    if (i == poisoned && sees_any(good, 1, i)) {
      EXPECT_TRUE(std::isnan(query.output[row * width]));
      // One key alone has a weight of 1 whatever its score is.
      if (sees(i, 0, 4) && sees(i, 2, 4)) {
        EXPECT_TRUE(std::isnan(gradient.queries[row * width]));
      }
    }
    if (i != poisoned) expect_equal_rows(gradient.queries, expected.queries, row, row + 1);
  }
  for (const Outcome& found : {query, key, value, gradient}) {
    expect_equal_rows(found.output, expected.output, 0, good.query_layout.end(0));
    expect_equal_rows(found.queries, expected.queries, 0, good.query_layout.end(0));
    expect_equal_rows(found.keys, expected.keys, 0, good.key_layout.end(0));
    expect_equal_rows(found.values, expected.values, 0, good.key_layout.end(0));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryScoreAndMask, NotFinite,
                         ::testing::Combine(::testing::ValuesIn(all_scores),
                                            ::testing::ValuesIn(every_mask)),
                         case_name);

// Keys that causality, a window and valid lengths hide from every query are never read.
TEST(NotFiniteKeys, ThatNoQuerySeesDoNotMatter) {
  for (const ScoreKind kind : all_scores)
    for (const MaskCase& mask : every_mask) {
      const std::string name = mask.name;
      if (name != "Causal" && name != "Window" && name != "ValidLengths") continue;
      for (const float odd : {nan, infinity, -infinity}) {
        const Inputs good = random_inputs({1}, {4});
        Inputs in = good;
        for (Tensor Inputs::*array : {&Inputs::keys, &Inputs::values}) {
          in.*array = (in.*array).clone();
          (in.*array).slice(3, 4).fill(odd);
        }
        const Outcome found = outcome_of(kind, mask, in), expected = outcome_of(kind, mask, good);
        for (Tensor Outcome::*result :
             {&Outcome::output, &Outcome::weights, &Outcome::queries, &Outcome::values})
          EXPECT_EQ(values_of(found.*result), values_of(expected.*result))
              << name_of(kind) << ", " << name << ", " << odd;
        EXPECT_EQ(values_of(found.keys.slice(0, 3)), values_of(expected.keys.slice(0, 3)));
      }
    }
}

// A score of minus infinity hides its key, as a bias does; one of infinity has no softmax.
TEST(InfiniteScores, HideTheirKeyOrGiveNoNumber) {
  const auto output = [](double key) {
    Tape tape;
    const Variable q = tape.watch(Tensor::of({1, 1}, {1})),
                   k = tape.watch(Tensor::of({2, 1}, {static_cast<float>(key), 0.5f})),
                   v = tape.watch(Tensor::of({2, 1}, {7, 8}));
    return attend({.queries = q, .keys = k, .values = v, .score = Dot{}}).output.value()[0];
  };
  EXPECT_EQ(output(-infinity), 8);
  EXPECT_TRUE(std::isnan(output(infinity)));
  EXPECT_TRUE(std::isnan(output(nan)));
}

}  // namespace
}  // namespace heed
