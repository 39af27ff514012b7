// Every op of autograd, in several shapes, through the gradient checker. An op that is missing from
// the table fails `CoversEveryOpOfTheHeaders`: add its cases to `every_case`.
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "heed/autograd/adapted_linear.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/binary_cross_entropy.h"
#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/dropout.h"
#include "heed/autograd/embedding.h"
#include "heed/autograd/layout.h"
#include "heed/autograd/linear.h"
#include "heed/autograd/neighbours.h"
#include "heed/autograd/normalisation.h"
#include "heed/autograd/recurrence.h"
#include "heed/autograd/ssru.h"
#include "joined.h"
#include "op_suite.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::awkward_shapes;
using testing::Inputs;
using testing::joined;
using testing::OpCase;
using testing::OpTable;
using testing::random_tensor;

std::string name_of(Activation kind) {
  switch (kind) {
    case Activation::identity:
      return "identity";
    case Activation::relu:
      return "relu";
    case Activation::tanh:
      return "tanh";
    case Activation::sigmoid:
      return "sigmoid";
    case Activation::gelu:
      return "gelu";
    case Activation::swish:
      return "swish";
  }
  return "";
}

constexpr Activation every_activation[] = {Activation::identity, Activation::relu,
                                           Activation::tanh,     Activation::sigmoid,
                                           Activation::gelu,     Activation::swish};

void add_arithmetic(OpTable& table) {
  table.add_in_every_shape("add", 2, [](const Inputs& in) { return add(in[0], in[1]); });
  table.add_in_every_shape("add", 1, [](const Inputs& in) { return add(in[0], in[0]); });
  table.add_in_every_shape("subtract", 2, [](const Inputs& in) { return subtract(in[0], in[1]); });
  table.add_in_every_shape("multiply", 2, [](const Inputs& in) { return multiply(in[0], in[1]); });
  table.add_in_every_shape("multiply", 1, [](const Inputs& in) { return multiply(in[0], in[0]); });
  for (const double factor : {-1.5, 0.0, 3.0})
    table.add_in_every_shape("scale", 1,
                             [factor](const Inputs& in) { return scale(in[0], factor); });
  table.add_in_every_shape("sum", 1, [](const Inputs& in) { return sum(in[0]); });
  for (const Shape& shape : awkward_shapes) {
    table.add("add_to_rows", "every shape",
              {random_tensor(shape, 1), random_tensor({shape.columns()}, 2)},
              [](const Inputs& in) { return add_to_rows(in[0], in[1]); });
    if (shape.elements() == 0) continue;
    table.add("mean", "every shape", {random_tensor(shape, 1)},
              [](const Inputs& in) { return mean(in[0]); });
    table.add("mean_squared_error", "every shape",
              {random_tensor(shape, 1), random_tensor(shape, 2)},
              [](const Inputs& in) { return mean_squared_error(in[0], in[1]); });
  }
}

void add_products(OpTable& table) {
  const std::vector<std::pair<Shape, int64_t>> sizes = {{{1, 1}, 1},    {{3, 4}, 5},  {{4}, 3},
                                                        {{2, 3, 5}, 2}, {{1, 17}, 9}, {{5, 1}, 1},
                                                        {{0, 3}, 2},    {{2, 0}, 3}};
  for (const auto& [shape, outputs] : sizes) {
    const Tensor x = random_tensor(shape, 1), bias = random_tensor({outputs}, 3);
    const Tensor weight = random_tensor({outputs, shape.columns()}, 2);
    for (const Activation kind : every_activation) {
      table.add("linear", fmt::format("bias and {}", name_of(kind)), {x, weight, bias},
                [kind](const Inputs& in) { return linear(in[0], in[1], in[2], kind); });
      table.add("linear", name_of(kind), {x, weight},
                [kind](const Inputs& in) { return linear(in[0], in[1], {}, kind); });
    }
    const Tensor down = random_tensor({2, shape.columns()}, 4), up = random_tensor({outputs, 2}, 5);
    for (const Activation kind : every_activation)
      table.add("adapted_linear", fmt::format("bias and {}", name_of(kind)),
                {x, weight, bias, down, up}, [kind](const Inputs& in) {
                  return adapted_linear(in[0], in[1], in[2], in[3], in[4], 0.5, kind);
                });
    table.add("adapted_linear", "no bias", {x, weight, down, up},
              [](const Inputs& in) { return adapted_linear(in[0], in[1], {}, in[2], in[3], -2); });
    table.add("matmul", "every size", {x, random_tensor({shape.columns(), outputs}, 2)},
              [](const Inputs& in) { return matmul(in[0], in[1]); });
  }
  table.add("linear", "one weight used twice", {random_tensor({2, 3}, 1), random_tensor({3, 3}, 2)},
            [](const Inputs& in) { return linear(linear(in[0], in[1]), in[1]); });
  for (const Activation kind : every_activation)
    table.add_in_every_shape("activate", 1,
                             [kind](const Inputs& in) { return activate(kind, in[0]); });
}

void add_normalisation(OpTable& table) {
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  table.add_in_every_shape("softmax", 1, [](const Inputs& in) { return softmax(in[0]); });
  table.add("softmax", "elements and a row of nothing",
            {Tensor::of({2, 3}, {nothing, 1, 2, nothing, nothing, nothing})},
            [](const Inputs& in) { return softmax(in[0]); });
  for (const double epsilon : {1e-5, 0.5}) {
    const auto run = [epsilon](const Inputs& in) {
      return layer_norm(in[0], in[1], in[2], epsilon);
    };
    for (const Shape& shape : awkward_shapes) {
      const Shape width{shape.columns()};
      table.add("layer_norm", "every shape",
                {random_tensor(shape, 1), random_tensor(width, 2), random_tensor(width, 3)}, run);
    }
    table.add("layer_norm", "a row of equal numbers",
              {Tensor::full({2, 4}, 0.5), random_tensor({4}, 2), random_tensor({4}, 3)}, run);
  }
  for (const double epsilon : {1e-5, 0.5}) {
    const auto run = [epsilon](const Inputs& in) { return rms_norm(in[0], in[1], epsilon); };
    for (const Shape& shape : awkward_shapes)
      table.add("rms_norm", "every shape",
                {random_tensor(shape, 1), random_tensor({shape.columns()}, 2)}, run);
    table.add("rms_norm", "a row of equal numbers",
              {Tensor::full({2, 4}, 0.5), random_tensor({4}, 2)}, run);
  }
  table.add_in_every_shape("unit_rows", 1, [](const Inputs& in) { return unit_rows(in[0]); });
  table.add("unit_rows", "rows around epsilon", {Tensor::of({3, 2}, {0.3f, 0.4f, 0, 0, 3, 4})},
            [](const Inputs& in) { return unit_rows(in[0], 2.0); });
}

void add_layout(OpTable& table) {
  table.add("reshape", "another rank", {random_tensor({2, 6}, 1)}, [](const Inputs& in) {
    return reshape(in[0], {3, 1, 4});
  });
  table.add("reshape", "two shapes of one", {random_tensor({6}, 1)}, [](const Inputs& in) {
    return multiply(reshape(in[0], {6, 1}), reshape(scale(in[0], 2), {6, 1}));
  });
  for (const auto& [begin, end] : {std::pair{0, 4}, {1, 3}, {3, 4}, {2, 2}}) {
    const auto rows = [begin = begin, end = end](const Inputs& in) {
      return slice(in[0], begin, end);
    };
    const auto columns = [begin = begin, end = end](const Inputs& in) {
      return slice_columns(in[0], begin, end);
    };
    for (const Shape& shape : {Shape{4}, Shape{4, 3}, Shape{4, 2, 3}})
      table.add("slice", "rows", {random_tensor(shape, 1)}, rows);
    for (const Shape& shape : {Shape{4}, Shape{3, 4}, Shape{2, 3, 4}})
      table.add("slice_columns", "columns", {random_tensor(shape, 1)}, columns);
  }
  for (const int64_t radius : {0, 1, 3})
    table.add("neighbours", "ragged", {random_tensor({5, 3}, 1)}, [radius](const Inputs& in) {
      return neighbours(in[0], Ragged(std::vector<int64_t>{2, 0, 3}), radius);
    });
  table.add("concatenate_columns", "one part", {random_tensor({2, 3}, 1)},
            [](const Inputs& in) { return concatenate_columns(in); });
  table.add("concatenate_columns", "uneven parts",
            {random_tensor({2, 2, 3}, 1), random_tensor({2, 2, 1}, 2), random_tensor({2, 2, 0}, 3)},
            [](const Inputs& in) { return concatenate_columns(in); });
  table.add("concatenate_columns", "one part twice", {random_tensor({3}, 1), random_tensor({1}, 2)},
            [](const Inputs& in) {
              return concatenate_columns(std::vector{in[0], in[1], in[0]});
            });
}

void add_lookup_and_noise(OpTable& table) {
  for (const double factor : {1.0, 5.6}) {
    const auto run = [factor](const Inputs& in) {
      return embed(in[0], std::vector<int32_t>{2, 0, 2, 1, 2}, factor);
    };
    for (const int64_t width : {1, 3, 17})
      table.add("embed", "repeated ids", {random_tensor({4, width}, 1)}, run);
  }
  table.add("embed", "one id of one", {random_tensor({1, 1}, 1)},
            [](const Inputs& in) { return embed(in[0], std::vector<int32_t>{0}); });
  for (const double rate : {0.0, 0.3, 0.9}) {
    table.add_in_every_shape("dropout", 1,
                             [rate](const Inputs& in) { return dropout(in[0], rate); });
    table.add_in_every_shape("add_dropped", 2,
                             [rate](const Inputs& in) { return add_dropped(in[0], in[1], rate); });
  }
}

void add_losses(OpTable& table) {
  const std::vector<int32_t> targets = {2, 0, 2, 1};
  for (const double smoothing : {0.0, 0.1}) {
    table.add("binary_cross_entropy", fmt::format("smoothing {}", smoothing),
              {random_tensor({2, 3}, 1)}, [=](const Inputs& in) {
                return binary_cross_entropy(in[0], std::vector<int32_t>{1, 0, 0, 1, 1, 0},
                                            {.label_smoothing = smoothing});
              });
    const auto from_scores = [=](const Inputs& in) {
      return cross_entropy(in[0], targets, {.label_smoothing = smoothing});
    };
    const auto with_bias = [=](const Inputs& in) {
      return linear_cross_entropy(in[0], in[1], in[2], targets, {.label_smoothing = smoothing});
    };
    const auto agreeing = [=](const Inputs& in) {
      return linear_cross_entropy(in[0], in[1], in[2], std::vector<int32_t>{2, 0, 2, 0},
                                  {.label_smoothing = smoothing, .r_drop = 5.0});
    };
    // Both halves of a pair have the same weight.
    const auto weighted = [=](const Inputs& in) {
      const std::vector<float> weights = {0.5, 2, 0.5, 2};
      return linear_cross_entropy(
          in[0], in[1], in[2], std::vector<int32_t>{2, 0, 2, 0},
          {.label_smoothing = smoothing, .r_drop = 5.0, .weights = weights});
    };
    const auto without_bias = [=](const Inputs& in) {
      return linear_cross_entropy(in[0], in[1], {}, targets, {.label_smoothing = smoothing});
    };
    for (const int64_t vocabulary : {3, 17, 40}) {
      const std::string what = fmt::format("smoothing {}, vocabulary {}", smoothing, vocabulary);
      const Tensor x = random_tensor({4, 5}, 1), weight = random_tensor({vocabulary, 5}, 2);
      table.add("cross_entropy", what, {random_tensor({4, vocabulary}, 1)}, from_scores);
      table.add("linear_cross_entropy", what, {x, weight}, without_bias);
      table.add("linear_cross_entropy", what + ", bias",
                {x, weight, random_tensor({vocabulary}, 3)}, with_bias);
      table.add("linear_cross_entropy", what + ", R-Drop",
                {x, weight, random_tensor({vocabulary}, 3)}, agreeing);
      table.add("linear_cross_entropy", what + ", weights",
                {x, weight, random_tensor({vocabulary}, 3)}, weighted);
    }
  }
}

void add_recurrence(OpTable& table) {
  const Ragged layout({3, 0, 4, 1});
  const int64_t inputs = 3, hidden = 2;
  for (const RecurrentKind kind : {RecurrentKind::gru, RecurrentKind::lstm})
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      const int64_t gates = gates_of(kind) * hidden;
      std::vector<Tensor> all = {random_tensor({layout.tokens(), inputs}, 1),
                                 random_tensor({gates, inputs}, 2),
                                 random_tensor({gates, hidden}, 3),
                                 random_tensor({gates}, 4),
                                 random_tensor({gates}, 5),
                                 random_tensor({layout.sequences(), hidden}, 6)};
      if (kind == RecurrentKind::lstm)
        all.push_back(random_tensor({layout.sequences(), hidden}, 7));
      const auto run = [=](const Inputs& in) {
        RecurrenceInputs named = {.x = in[0],
                                  .input_weight = in[1],
                                  .hidden_weight = in[2],
                                  .input_bias = in[3],
                                  .hidden_bias = in[4],
                                  .hidden = in[5],
                                  .cells = {}};
        if (kind == RecurrentKind::lstm) named.cells = in[6];
        const RecurrenceResult result =
            recur(kind, named, std::make_shared<const TimeSteps>(layout), direction);
        std::vector<Variable> parts = {result.outputs, result.hidden};
        if (kind == RecurrentKind::lstm) parts.push_back(result.cells);
        return joined(parts);
      };
      table.add("recur",
                fmt::format("{}, {}", kind == RecurrentKind::gru ? "GRU" : "LSTM",
                            direction == Direction::forward ? "forward" : "reverse"),
                all, run);
    }
}

void add_ssru(OpTable& table) {
  for (const Ragged& layout : {Ragged({3, 0, 4, 1}), Ragged({1}), Ragged({0}), Ragged({6, 6})})
    for (const int64_t width : {1, 5}) {
      const Shape shape{layout.tokens(), width};
      table.add("ssru", fmt::format("{} tokens of width {}", layout.tokens(), width),
                {random_tensor(shape, 1), random_tensor(shape, 2)},
                [layout](const Inputs& in) { return ssru(in[0], in[1], layout); });
    }
}

}  // namespace

std::vector<OpCase> testing::every_case() {
  OpTable table;
  add_arithmetic(table);
  add_products(table);
  add_normalisation(table);
  add_layout(table);
  add_lookup_and_noise(table);
  add_losses(table);
  add_recurrence(table);
  add_ssru(table);
  return table.take();
}

namespace testing {

INSTANTIATE_TEST_SUITE_P(Autograd, EveryOp, ::testing::ValuesIn(every_op()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace testing

namespace {

TEST(EveryOpTable, ReadsOpsFromHeaders) {
  using testing::op_declared_by;
  EXPECT_EQ(op_declared_by("Variable add(const Variable& a, const Variable& b);"), "add");
  EXPECT_EQ(op_declared_by("std::pair<Variable, Variable> split("), "split");
  EXPECT_EQ(op_declared_by("std::vector<Variable> parts_of(const Variable& x);"), "parts_of");
  EXPECT_EQ(op_declared_by("  Variable watch(const Tensor& value);"), std::nullopt);
  EXPECT_EQ(op_declared_by("// Variable old(const Tensor& value);"), std::nullopt);
  EXPECT_EQ(op_declared_by("double norm_of(const Variable& x);"), std::nullopt);
  EXPECT_EQ(op_declared_by("class Variable {"), std::nullopt);
}

TEST(EveryOpTable, CoversEveryOpOfTheHeaders) {
  EXPECT_EQ(testing::ops_of("autograd"), testing::every_op());
}

}  // namespace
}  // namespace heed
