#include "heed/attention/multi_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "attention_checks.h"
#include "error_of.h"
#include "heed/autograd/layout.h"

namespace heed {
namespace {

using testing::check_layer;
using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;

constexpr PositionKind all_positions[] = {PositionKind::none,    PositionKind::sinusoidal,
                                          PositionKind::learned, PositionKind::rotary,
                                          PositionKind::alibi,   PositionKind::relative};

std::string name_of(PositionKind kind) {
  constexpr std::string_view names[] = {"none",   "sinusoidal", "learned",
                                        "rotary", "alibi",      "relative"};
  return std::string(names[static_cast<size_t>(kind)]);
}

// A layer whose biases and distance biases are not their initial zeros.
MultiHeadAttention make_layer(const MultiHeadConfig& config) {
  Rng rng(3);
  MultiHeadAttention layer(config, rng);
  uint64_t seed = 50;
  layer.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (name.ends_with("bias")) value = random_tensor(value.shape(), ++seed);
  });
  return layer;
}

// The kinds of positions that are added outside the layer, to its input.
Variable with_positions(PositionKind kind, const Variable& x, const Ragged& layout, int64_t first) {
  if (kind != PositionKind::sinusoidal && kind != PositionKind::learned) return x;
  const Tensor table = kind == PositionKind::sinusoidal
                           ? sinusoidal_positions(64, x.shape().columns())
                           : random_tensor({64, x.shape().columns()}, 60);
  return add_positions(x, layout, x.tape().constant(table.to(x.type())), first);
}

TEST(MultiHead, ShowsItsParametersByName) {
  using Shapes = std::map<std::string, std::string>;
  const auto shapes = [](const MultiHeadConfig& config) {
    MultiHeadAttention layer = make_layer(config);
    Shapes found;
    for (const Parameter& parameter : parameters_of(layer, "self"))
      found[parameter.name] = parameter.value.shape().text();
    return found;
  };
  EXPECT_EQ(shapes({.width = 8, .heads = 2}), (Shapes{{"self.q_proj.weight", "(8, 8)"},
                                                      {"self.q_proj.bias", "(8)"},
                                                      {"self.k_proj.weight", "(8, 8)"},
                                                      {"self.k_proj.bias", "(8)"},
                                                      {"self.v_proj.weight", "(8, 8)"},
                                                      {"self.v_proj.bias", "(8)"},
                                                      {"self.out_proj.weight", "(8, 8)"},
                                                      {"self.out_proj.bias", "(8)"}}));
  EXPECT_EQ(shapes({.width = 8,
                    .heads = 4,
                    .kv_heads = 2,
                    .key_inputs = 5,
                    .value_inputs = 6,
                    .head_width = 3,
                    .bias = false,
                    .positions = PositionKind::relative,
                    .max_distance = 7}),
            (Shapes{{"self.q_proj.weight", "(12, 8)"},
                    {"self.k_proj.weight", "(6, 5)"},
                    {"self.v_proj.weight", "(6, 6)"},
                    {"self.out_proj.weight", "(8, 12)"},
                    {"self.relative_bias", "(4, 15)"}}));
}

TEST(MultiHead, AttendsToItselfWhenNoKeysAreGiven) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2});
  Tape tape;
  const Variable x = tape.constant(random_tensor({3, 5, 8}, 1));
  const Tensor alone = layer({.queries = x}).output.value();
  EXPECT_EQ(alone.shape(), (Shape{3, 5, 8}));
  EXPECT_TRUE(
      close_tensors(alone, layer({.queries = x, .keys = x, .values = x}).output.value(), 0, 0));
}

TEST(MultiHead, TakesTheKeysForValuesThatAreNotGiven) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2});
  Tape tape;
  const Variable x = tape.constant(random_tensor({3, 5, 8}, 1)),
                 y = tape.constant(random_tensor({3, 4, 8}, 2));
  EXPECT_TRUE(close_tensors(layer({.queries = x, .keys = y}).output.value(),
                            layer({.queries = x, .keys = y, .values = y}).output.value(), 0, 0));
}

TEST(MultiHead, OfADenseBatchIsThatOfARaggedOne) {
  for (const PositionKind positions : all_positions) {
    const MultiHeadAttention layer =
        make_layer({.width = 8, .heads = 2, .positions = positions, .max_distance = 2});
    Tape tape;
    const Tensor x = random_tensor({3, 5, 8}, 1);
    const Ragged layout({4, 0, 5});
    const Attended dense = layer({.queries = tape.constant(x),
                                  .mask = {.causal = true, .valid_lengths = {4, 0, 5}},
                                  .want_weights = true});
    const Attended ragged = layer({.queries = tape.constant(pack_sequences(x, layout)),
                                   .query_layout = layout,
                                   .mask = {.causal = true},
                                   .want_weights = true});
    EXPECT_EQ(dense.weights.shape(), (Shape{3, 2, 5, 5}));
    EXPECT_TRUE(close_tensors(ragged.output.value(), pack_sequences(dense.output.value(), layout)))
        << name_of(positions);
  }
}

TEST(MultiHead, OfTwoAxesIsABatchOfOne) {
  const MultiHeadAttention layer =
      make_layer({.width = 8, .heads = 2, .positions = PositionKind::alibi});
  Tape tape;
  const Tensor x = random_tensor({5, 8}, 1);
  const Attended two = layer({.queries = tape.constant(x), .want_weights = true});
  const Attended three =
      layer({.queries = tape.constant(x.reshape({1, 5, 8})), .want_weights = true});
  EXPECT_EQ(two.output.shape(), (Shape{5, 8}));
  EXPECT_TRUE(close_tensors(two.output.value(), three.output.value().reshape({5, 8}), 0, 0));
  EXPECT_TRUE(close_tensors(two.weights, three.weights, 0, 0));
}

TEST(MultiHead, InTwoPartsIsTheSame) {
  for (const PositionKind positions : all_positions) {
    const MultiHeadAttention layer =
        make_layer({.width = 8, .heads = 4, .kv_heads = 2, .positions = positions});
    Tape tape;
    const Variable x = tape.constant(random_tensor({5, 8}, 1)),
                   y = tape.constant(random_tensor({7, 8}, 2));
    const Ragged queries({2, 3}), keys({4, 3});
    const KeyValues memory = layer.project(y, y, keys);
    EXPECT_TRUE(
        close_tensors(layer.attend_to(memory, x, queries).output.value(),
                      layer({.queries = x, .keys = y, .query_layout = queries, .key_layout = keys})
                          .output.value(),
                      0, 0));
  }
}

TEST(MultiHead, InTwoPartsBeginsAtAnyQuery) {
  for (const PositionKind positions : all_positions) {
    const MultiHeadAttention layer =
        make_layer({.width = 8, .heads = 2, .positions = positions, .max_distance = 2});
    Tape tape;
    const Tensor x = random_tensor({7, 8}, 1);
    const KeyValues memory = layer.project(tape.constant(x), tape.constant(x), Ragged({7}));
    const auto from = [&](int64_t first) {
      const Mask mask{.causal = true, .first_query = first};
      return layer.attend_to(memory, tape.constant(x.slice(first, 7)), Ragged({7 - first}), mask)
          .output.value();
    };
    EXPECT_TRUE(close_tensors(from(4), from(0).slice(4, 7))) << name_of(positions);
  }
}

TEST(MultiHead, DropsWeightsInTrainingOnly) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2, .dropout = 0.5});
  const auto dropped = [&](bool training) {
    Tape tape({.training = training, .seed = 1});
    const Tensor weights =
        layer({.queries = tape.constant(random_tensor({30, 8}, 1)), .want_weights = true}).weights;
    return std::ranges::count(testing::values_of(weights), 0.0);
  };
  EXPECT_EQ(dropped(false), 0);
  EXPECT_NEAR(static_cast<double>(dropped(true)), 900.0, 100.0);
}

TEST(MultiHead, SeesTheOrderOfItsKeysThroughPositionsOnly) {
  for (const PositionKind positions :
       {PositionKind::none, PositionKind::rotary, PositionKind::alibi, PositionKind::relative}) {
    const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2, .positions = positions});
    Tape tape;
    const Variable query = tape.constant(random_tensor({1, 8}, 1));
    const Tensor keys = random_tensor({3, 8}, 2);
    Tensor turned = keys.clone();
    for (int64_t t = 0; t < 3; ++t) turned.slice(t, t + 1).copy_from(keys.slice(2 - t, 3 - t));
    const bool same = static_cast<bool>(
        close_tensors(layer({.queries = query, .keys = tape.constant(keys)}).output.value(),
                      layer({.queries = query, .keys = tape.constant(turned)}).output.value()));
    EXPECT_EQ(same, positions == PositionKind::none) << name_of(positions);
  }
}

// Gradients.

class MultiHeadGradients : public ::testing::TestWithParam<PositionKind> {
 protected:
  static void check(const MultiHeadConfig& config, const TapeOptions& tape_options = {}) {
    MultiHeadAttention layer = make_layer(config);
    const Ragged layout({3, 1});
    const GradientCheckResult result = check_layer(
        layer, {random_tensor({4, config.width}, 1)},
        [&](Tape&, const std::vector<Variable>& inputs) {
          const Variable x = with_positions(GetParam(), inputs[0], layout, 0);
          return layer({.queries = x, .query_layout = layout, .mask = {.causal = true}}).output;
        },
        {.tape = tape_options});
    EXPECT_TRUE(result.passed) << result.complaint;
  }
};

TEST_P(MultiHeadGradients, OfSelfAttention) {
  check({.width = 4, .heads = 2, .positions = GetParam(), .max_distance = 2});
}

TEST_P(MultiHeadGradients, OfGroupedAndSharedKeyHeads) {
  for (const int64_t kv_heads : {1, 2})
    check({.width = 4,
           .heads = 4,
           .kv_heads = kv_heads,
           .head_width = 2,
           .positions = GetParam(),
           .max_distance = 2});
}

TEST_P(MultiHeadGradients, WithDropout) {
  check({.width = 4, .heads = 2, .dropout = 0.4, .positions = GetParam(), .max_distance = 2},
        {.training = true, .seed = 9});
}

TEST_P(MultiHeadGradients, OfCrossAttentionWithoutBias) {
  MultiHeadAttention layer = make_layer({.width = 4,
                                         .heads = 2,
                                         .key_inputs = 3,
                                         .value_inputs = 5,
                                         .bias = false,
                                         .positions = GetParam(),
                                         .max_distance = 2});
  const GradientCheckResult result = check_layer(
      layer,
      {random_tensor({2, 2, 4}, 1), random_tensor({2, 3, 3}, 2), random_tensor({2, 3, 5}, 3)},
      [&](Tape&, const std::vector<Variable>& inputs) {
        return layer({.queries = inputs[0],
                      .keys = inputs[1],
                      .values = inputs[2],
                      .mask = {.valid_lengths = {2, 3}}})
            .output;
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

std::string position_case_name(const ::testing::TestParamInfo<PositionKind>& info) {
  return name_of(info.param);
}

INSTANTIATE_TEST_SUITE_P(EveryPosition, MultiHeadGradients, ::testing::ValuesIn(all_positions),
                         position_case_name);

// Decoding step by step.

// Positions, KV heads, and the number of tokens per step.
using DecodingCase = std::tuple<PositionKind, int64_t, std::vector<int64_t>>;

class StepByStep : public ::testing::TestWithParam<DecodingCase> {
 protected:
  static constexpr int64_t width = 8, heads = 4, length = 20;

  PositionKind positions() const { return std::get<PositionKind>(GetParam()); }

  // (sequences × length, width) of the whole sequences at once, reshaped to (sequences, length,
  // width).
  Tensor at_once(const Tensor& x) const {
    Tape tape;
    const Ragged layout(std::vector<int64_t>(static_cast<size_t>(x.shape()[0]), x.shape()[1]));
    const Variable tokens = tape.constant(x.reshape({x.shape()[0] * x.shape()[1], width}));
    return layer_({.queries = with_positions(positions(), tokens, layout, 0),
                   .query_layout = layout,
                   .mask = {.causal = true}})
        .output.value()
        .reshape(x.shape())
        .clone();
  }

  // Feeds the tokens [first, first + count) of every sequence of x and compares with the same of
  // `expected`.
  void step(const Tensor& x, int64_t first, int64_t count, KeyValueCache& cache,
            const Tensor& expected) const {
    Tape tape({.record = false});
    const int64_t sequences = x.shape()[0];
    const Ragged layout(std::vector<int64_t>(static_cast<size_t>(sequences), count));
    const Variable tokens = tape.constant(part(x, first, count));
    cache.grow(layout);
    const Variable output = layer_.step(with_positions(positions(), tokens, layout, first), cache);
    EXPECT_TRUE(close_tensors(output.value(), part(expected, first, count)))
        << "tokens from " << first;
    EXPECT_EQ(cache.length(0), first + count);
  }

  // Tokens [first, first + count) of each sequence: (sequences × count, width).
  static Tensor part(const Tensor& x, int64_t first, int64_t count) {
    const int64_t sequences = x.shape()[0], of = x.shape()[1];
    Tensor result = Tensor::uninitialised({sequences * count, width}, x.type());
    for (int64_t s = 0; s < sequences; ++s)
      result.slice(s * count, (s + 1) * count)
          .copy_from(
              x.reshape({sequences * of, width}).slice(s * of + first, s * of + first + count));
    return result;
  }

  MultiHeadAttention layer_ = make_layer({.width = width,
                                          .heads = heads,
                                          .kv_heads = std::get<int64_t>(GetParam()),
                                          .positions = positions(),
                                          .max_distance = 3});
};

TEST_P(StepByStep, GivesWhatTheWholeSequenceGives) {
  const Tensor x = random_tensor({3, length, width}, 1), expected = at_once(x);
  KeyValueCache cache(layer_.cache_sizes(), 3);
  int64_t first = 0;
  for (const int64_t count : std::get<std::vector<int64_t>>(GetParam())) {
    step(x, first, count, cache, expected);
    first += count;
  }
  EXPECT_EQ(first, length);
}

TEST_P(StepByStep, GoesOnFromSelectedSequences) {
  const std::vector<int64_t>& steps = std::get<std::vector<int64_t>>(GetParam());
  const std::vector<int64_t> from = {2, 0, 0, 1};
  const Tensor before = random_tensor({3, length, width}, 1),
               after = random_tensor({4, length, width}, 2);
  // The selected sequences after half of the steps: their old beginning and a new end.
  const size_t half = steps.size() / 2;
  const int64_t kept =
      std::accumulate(steps.begin(), steps.begin() + static_cast<ptrdiff_t>(half), int64_t{0});
  Tensor mixed = after.clone();
  for (size_t s = 0; s < from.size(); ++s) {
    const Tensor source = before.slice(from[s], from[s] + 1).reshape({length, width});
    const auto target = static_cast<int64_t>(s);
    mixed.slice(target, target + 1)
        .reshape({length, width})
        .slice(0, kept)
        .copy_from(source.slice(0, kept));
  }
  const Tensor expected_before = at_once(before), expected = at_once(mixed);
  KeyValueCache cache(layer_.cache_sizes(), 3);
  int64_t first = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (i == half) cache.select(from);
    step(i < half ? before : mixed, first, steps[i], cache, i < half ? expected_before : expected);
    first += steps[i];
  }
}

const std::vector<int64_t> single_tokens(20, 1), several_tokens = {3, 1, 7, 2, 7};

std::string decoding_case_name(const ::testing::TestParamInfo<DecodingCase>& info) {
  const auto& [positions, kv_heads, steps] = info.param;
  return fmt::format("{}_{}_kv_heads_{}", name_of(positions), kv_heads,
                     steps == single_tokens ? "one_by_one" : "several");
}

INSTANTIATE_TEST_SUITE_P(EveryPosition, StepByStep,
                         ::testing::Combine(::testing::ValuesIn(all_positions),
                                            ::testing::Values<int64_t>(1, 2, 4),
                                            ::testing::Values(single_tokens, several_tokens)),
                         decoding_case_name);

// Sequences that have come to different lengths, with different numbers of new tokens.
TEST(Step, SequencesGrowAtTheirOwnPace) {
  for (const PositionKind positions : all_positions) {
    const MultiHeadAttention layer =
        make_layer({.width = 8, .heads = 2, .positions = positions, .max_distance = 2});
    Tape tape({.record = false});
    const Tensor x = random_tensor({2, 6, 8}, 1);
    const Variable whole = layer({.queries = tape.constant(x), .mask = {.causal = true}}).output;
    const auto rows = [](const Tensor& of, int64_t sequence, int64_t begin, int64_t end) {
      return of.reshape({12, 8}).slice(6 * sequence + begin, 6 * sequence + end);
    };
    KeyValueCache cache(layer.cache_sizes(), 2);
    int64_t done[2] = {0, 0};
    for (const auto& [first, second] : {std::pair{2, 0}, {1, 4}, {0, 1}, {3, 1}}) {
      Tensor tokens = Tensor::uninitialised({first + second, 8});
      tokens.slice(0, first).copy_from(rows(x, 0, done[0], done[0] + first));
      tokens.slice(first, first + second).copy_from(rows(x, 1, done[1], done[1] + second));
      cache.grow(Ragged({first, second}));
      const Tensor found = layer.step(tape.constant(tokens), cache).value();
      EXPECT_TRUE(
          close_tensors(found.slice(0, first), rows(whole.value(), 0, done[0], done[0] + first)));
      EXPECT_TRUE(close_tensors(found.slice(first, first + second),
                                rows(whole.value(), 1, done[1], done[1] + second)));
      done[0] += first, done[1] += second;
    }
  }
}

TEST(Step, RefusesTokensThatDoNotFit) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2});
  KeyValueCache cache(layer.cache_sizes(), 2);
  cache.grow(Ragged({1, 1}));
  Tape tape({.record = false}), recording;
  EXPECT_EQ(error_of([&] {
              layer.step(tape.constant(Tensor::zeros({3, 8})), cache);
            }),
            "multi-head attention: a step of shape (3, 8) but (2, 8) was expected");
  EXPECT_EQ(error_of([&] {
              layer.step(recording.constant(Tensor::zeros({2, 8})), cache);
            }),
            "multi-head attention: a step needs float32 and a tape that does not record");
}

// Each part of the queries asks its own memory, as if it were alone.
TEST(MultiHead, AsksSeveralMemories) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2});
  Tape tape({.record = false});
  const Variable queries = tape.constant(random_tensor({5, 8}, 1));
  const KeyValues first = layer.project(tape.constant(random_tensor({6, 8}, 2)),
                                        tape.constant(random_tensor({6, 8}, 3)), Ragged({2, 4})),
                  second = layer.project(tape.constant(random_tensor({3, 8}, 4)),
                                         tape.constant(random_tensor({3, 8}, 5)), Ragged({3}));
  Tensor weights;
  const Tensor found =
      layer
          .attend_to_each(
              std::vector<AskedMemory>{{first, Ragged({1, 2})}, {second, Ragged({2}), &weights}},
              queries)
          .value();
  const auto part = [&](int64_t begin, int64_t end) {
    return tape.constant(queries.value().slice(begin, end));
  };
  EXPECT_TRUE(close_tensors(found.slice(0, 3),
                            layer.attend_to(first, part(0, 3), Ragged({1, 2})).output.value()));
  const Attended alone = layer.attend_to(second, part(3, 5), Ragged({2}), {}, true);
  EXPECT_TRUE(close_tensors(found.slice(3, 5), alone.output.value()));
  EXPECT_TRUE(close_tensors(weights, alone.weights));
  EXPECT_EQ(error_of([&] {
              layer.attend_to_each(std::vector<AskedMemory>{{first, Ragged({1, 2})}}, queries);
            }),
            "multi-head attention: 5 queries, but the memories are asked by 3");
  EXPECT_EQ(error_of([&] {
              layer.attend_to_each(std::vector<AskedMemory>{{first, Ragged({1, 2, 2})}}, queries);
            }),
            "multi-head attention: 3 sequences of queries for a memory of 2");
  Tape recording;
  EXPECT_EQ(error_of([&] {
              layer.attend_to_each(std::vector<AskedMemory>{{first, Ragged({3, 2})}},
                                   recording.constant(queries.value()));
            }),
            "multi-head attention: several memories need float32 and a tape that does not record");
}

// As where a source has no token at all.
TEST(MultiHead, FindsNothingInAnEmptyMemory) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2, .bias = false});
  Tape tape({.record = false});
  const Variable queries = tape.constant(random_tensor({2, 8}, 1));
  const KeyValues memory = layer.project(tape.constant(random_tensor({3, 8}, 2)),
                                         tape.constant(random_tensor({3, 8}, 3)), Ragged({0, 3}));
  const Tensor found =
      layer.attend_to_each(std::vector<AskedMemory>{{memory, Ragged({1, 1})}}, queries).value();
  EXPECT_TRUE(
      close_tensors(found, layer.attend_to(memory, queries, Ragged({1, 1})).output.value()));
  for (const float number : found.row<float>(0)) EXPECT_EQ(number, 0);
}

TEST(MultiHead, RefusesConfigurationsThatDoNotFit) {
  const auto refusal = [](const MultiHeadConfig& config) {
    return error_of([&] { make_layer(config); });
  };
  EXPECT_EQ(refusal({.width = 8, .heads = 3}),
            "multi-head attention: 3 heads do not divide a width of 8");
  EXPECT_EQ(refusal({.width = 8, .heads = 0}), "multi-head attention: 0 heads and a width of 8");
  EXPECT_EQ(refusal({.width = 0, .heads = 1}), "multi-head attention: 1 heads and a width of 0");
  EXPECT_EQ(refusal({.width = 8, .heads = 4, .kv_heads = 3}),
            "multi-head attention: 3 KV heads do not divide 4 heads");
  EXPECT_EQ(refusal({.width = 6, .heads = 2, .positions = PositionKind::rotary}),
            "multi-head attention: rotary positions need an even head width but it is 3");
  EXPECT_EQ(refusal({.width = 8, .heads = 2, .head_width = -1}),
            "multi-head attention: a head width of -1");
  EXPECT_EQ(refusal({.width = 8, .heads = 2, .key_inputs = -1}),
            "multi-head attention: keys of width -1 and values of width 8");
  EXPECT_EQ(
      refusal({.width = 8, .heads = 2, .positions = PositionKind::relative, .max_distance = -1}),
      "multi-head attention: relative positions with a maximum distance of -1");
  EXPECT_EQ(refusal({.width = 8, .heads = 2, .dropout = 1.0}),
            "multi-head attention: a dropout rate of 1 but 0 <= rate < 1 was expected");
}

TEST(MultiHead, RefusesInputsThatDoNotFit) {
  const MultiHeadAttention layer = make_layer({.width = 8, .heads = 2});
  Tape tape;
  const auto zeros = [&](std::initializer_list<int64_t> sizes) {
    return tape.constant(Tensor::zeros(Shape(sizes)));
  };
  const auto refusal = [&](const MultiHeadInputs& inputs) {
    return error_of([&] { layer(inputs); });
  };
  EXPECT_EQ(refusal({}), "multi-head attention: the queries are missing");
  EXPECT_EQ(
      refusal({.queries = zeros({8})}),
      "multi-head attention: shape (8) but (length, width) or (batch, length, width) was expected");
  EXPECT_EQ(refusal({.queries = zeros({3, 7})}), "linear: input (3, 7) does not fit weight (8, 8)");
  EXPECT_EQ(refusal({.queries = zeros({2, 3, 8}), .keys = zeros({3, 3, 8})}),
            "attend: 2 sequences of queries but 3 of keys");
  EXPECT_EQ(
      refusal({.queries = zeros({4, 8}), .query_layout = Ragged({3})}),
      "attend: the queries have shape (4, 8) but (3, width) was expected for the ragged batch");
}

}  // namespace
}  // namespace heed
