// The fused recurrence against its definition: the same network built from small ops, sequence by
// sequence.
#include "heed/autograd/recurrence.h"

#include "close_tensors.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/gradient_check.h"
#include "heed/autograd/linear.h"
#include "heed/base/error.h"
#include "joined.h"

namespace heed {
namespace {

using heed::testing::close_tensors;
using heed::testing::joined;
using heed::testing::random_tensor;

struct State {
  Variable hidden;
  Variable cell;
};

// Column block `index` of (rows, count × hidden).
Variable gate(const Variable& x, int64_t index, int64_t hidden) {
  return slice_columns(x, index * hidden, (index + 1) * hidden);
}

Variable sigmoid(const Variable& x) { return activate(Activation::sigmoid, x); }
Variable tanh(const Variable& x) { return activate(Activation::tanh, x); }

State composed_step(RecurrentKind kind, const RecurrenceInputs& in, const Variable& x,
                    const State& before) {
  const int64_t hidden = before.hidden.shape().columns();
  const Variable from_x = linear(x, in.input_weight, in.input_bias);
  const Variable from_h = linear(before.hidden, in.hidden_weight, in.hidden_bias);
  const auto both = [&](int64_t index) {
    return add(gate(from_x, index, hidden), gate(from_h, index, hidden));
  };
  if (kind == RecurrentKind::gru) {
    const Variable reset = sigmoid(both(0)), update = sigmoid(both(1));
    const Variable candidate =
        tanh(add(gate(from_x, 2, hidden), multiply(reset, gate(from_h, 2, hidden))));
    return {add(candidate, multiply(update, subtract(before.hidden, candidate))), {}};
  }
  const Variable cell =
      add(multiply(sigmoid(both(1)), before.cell), multiply(sigmoid(both(0)), tanh(both(2))));
  return {multiply(sigmoid(both(3)), tanh(cell)), cell};
}

// One row below the other.
Variable stacked(const std::vector<Variable>& rows, int64_t hidden) {
  return reshape(concatenate_columns(rows), {static_cast<int64_t>(rows.size()), hidden});
}

RecurrenceResult composed_recur(RecurrentKind kind, const RecurrenceInputs& in,
                                const Ragged& layout, Direction direction) {
  const int64_t hidden = in.hidden_weight.shape()[1];
  Tape& tape = in.x.tape();
  const Variable zeros = tape.constant(Tensor::zeros({1, hidden}, in.x.type()));
  std::vector<Variable> outputs(static_cast<size_t>(layout.tokens())), last, last_cells;
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    State state{in.hidden.present() ? slice(in.hidden, s, s + 1) : zeros,
                in.cells.present() ? slice(in.cells, s, s + 1) : zeros};
    for (int64_t step = 0; step < layout.length(s); ++step) {
      const int64_t token =
          direction == Direction::forward ? layout.begin(s) + step : layout.end(s) - 1 - step;
      state = composed_step(kind, in, slice(in.x, token, token + 1), state);
      outputs[static_cast<size_t>(token)] = state.hidden;
    }
    last.push_back(state.hidden);
    last_cells.push_back(state.cell);
  }
  RecurrenceResult result{stacked(outputs, hidden), stacked(last, hidden), {}};
  if (kind == RecurrentKind::lstm) result.cells = stacked(last_cells, hidden);
  return result;
}

struct Case {
  RecurrentKind kind;
  Direction direction;
  bool initial;
};

const std::vector<Case> all_cases = [] {
  std::vector<Case> cases;
  for (const RecurrentKind kind : {RecurrentKind::gru, RecurrentKind::lstm})
    for (const Direction direction : {Direction::forward, Direction::reverse})
      for (const bool initial : {false, true}) cases.push_back({kind, direction, initial});
  return cases;
}();

std::string name_of(const Case& one) {
  return fmt::format("{} {}{}", one.kind == RecurrentKind::gru ? "gru" : "lstm",
                     one.direction == Direction::forward ? "forward" : "reverse",
                     one.initial ? " with initial states" : "");
}

// x, the four parameters and, optionally, initial states.
std::vector<Tensor> random_inputs(const Case& one, const Ragged& layout, int64_t width,
                                  int64_t hidden, Type type) {
  const int64_t rows = gates_of(one.kind) * hidden;
  std::vector<Shape> shapes{
      {layout.tokens(), width}, {rows, width}, {rows, hidden}, {rows}, {rows}};
  if (one.initial)
    shapes.insert(shapes.end(), static_cast<size_t>(states_of(one.kind)),
                  Shape{layout.sequences(), hidden});
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < shapes.size(); ++i) {
    tensors.push_back(random_tensor(shapes[i], i + 1, type));
    // Small enough to keep the gates in the range where they have slopes.
    if (i == 1 || i == 2)
      with_type(type, [&](auto zero) {
        for (auto& weight : tensors.back().span<decltype(zero)>()) weight *= decltype(zero)(0.3);
      });
  }
  return tensors;
}

RecurrenceInputs named(const Case& one, const std::vector<Variable>& v) {
  RecurrenceInputs inputs{v[0], v[1], v[2], v[3], v[4], {}, {}};
  if (one.initial) inputs.hidden = v[5];
  if (one.initial && one.kind == RecurrentKind::lstm) inputs.cells = v[6];
  return inputs;
}

Variable joined_result(const RecurrenceResult& result) {
  std::vector<Variable> parts{result.outputs, result.hidden};
  if (result.cells.present()) parts.push_back(result.cells);
  return joined(parts);
}

Variable fused(const Case& one, const std::vector<Variable>& v, const Ragged& layout) {
  return joined_result(
      recur(one.kind, named(one, v), std::make_shared<const TimeSteps>(layout), one.direction));
}

Variable composed(const Case& one, const std::vector<Variable>& v, const Ragged& layout) {
  return joined_result(composed_recur(one.kind, named(one, v), layout, one.direction));
}

// The value, then the gradients of all inputs.
template <typename Run>
std::vector<Tensor> value_and_gradients(const std::vector<Tensor>& inputs, Run run) {
  Tape tape;
  std::vector<Variable> variables;
  for (const Tensor& input : inputs) variables.push_back(tape.watch(input));
  const Variable result = run(variables);
  tape.backward(result, random_tensor(result.shape(), 99, result.type()));
  std::vector<Tensor> found{result.value().clone()};
  for (const Variable& variable : variables) found.push_back(variable.gradient().clone());
  return found;
}

TEST(Recurrence, EqualsItsCompositionInValueAndGradient) {
  const Ragged layout({3, 0, 5, 1, 5, 0});
  for (const Case& one : all_cases)
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(name_of(one));
      const double tolerance = type == Type::float32 ? 1e-5 : 1e-12;
      const std::vector<Tensor> inputs = random_inputs(one, layout, 7, 19, type);
      const auto found =
          value_and_gradients(inputs, [&](const auto& v) { return fused(one, v, layout); });
      const auto expected =
          value_and_gradients(inputs, [&](const auto& v) { return composed(one, v, layout); });
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(close_tensors(found[i], expected[i], tolerance, tolerance)) << "array " << i;
    }
}

TEST(Recurrence, Gradients) {
  const Ragged layout({2, 0, 3});
  for (const Case& one : all_cases) {
    const GradientCheckResult result = check_gradients(
        random_inputs(one, layout, 2, 3, Type::float64),
        [&](Tape&, const std::vector<Variable>& v) { return fused(one, v, layout); });
    EXPECT_TRUE(result.passed) << name_of(one) << ": " << result.complaint;
  }
}

TEST(Recurrence, AnEmptySequenceKeepsItsState) {
  const Ragged layout({0, 2, 0});
  for (const RecurrentKind kind : {RecurrentKind::gru, RecurrentKind::lstm}) {
    const Case one{kind, Direction::forward, true};
    const std::vector<Tensor> inputs = random_inputs(one, layout, 2, 3, Type::float32);
    Tape tape;
    std::vector<Variable> variables;
    for (const Tensor& input : inputs) variables.push_back(tape.watch(input));
    const RecurrenceResult result = recur(kind, named(one, variables),
                                          std::make_shared<const TimeSteps>(layout), one.direction);
    for (const int64_t s : {0, 2}) {
      EXPECT_TRUE(
          close_tensors(result.hidden.value().slice(s, s + 1), inputs[5].slice(s, s + 1), 0, 0));
      if (kind == RecurrentKind::lstm) {
        EXPECT_TRUE(
            close_tensors(result.cells.value().slice(s, s + 1), inputs[6].slice(s, s + 1), 0, 0));
      }
    }
  }
}

TEST(Recurrence, ABatchMayHaveNoTokensOrNoSequences) {
  for (const Ragged& layout : {Ragged({0, 0}), Ragged()})
    for (const Case& one : all_cases) {
      const std::vector<Tensor> inputs = random_inputs(one, layout, 2, 3, Type::float32);
      const auto found =
          value_and_gradients(inputs, [&](const auto& v) { return fused(one, v, layout); });
      for (const size_t parameter : {2, 3, 4, 5})
        for (const float gradient : found[parameter].span<float>()) EXPECT_EQ(gradient, 0.0f);
    }
}

TEST(Recurrence, WithoutRecordingItGivesTheSame) {
  const Ragged layout({3, 1});
  for (const Case& one : all_cases) {
    const std::vector<Tensor> inputs = random_inputs(one, layout, 4, 5, Type::float32);
    Tape recording, plain({.record = false});
    std::vector<Variable> watched, constants;
    for (const Tensor& input : inputs) {
      watched.push_back(recording.watch(input));
      constants.push_back(plain.watch(input));
    }
    const Variable result = fused(one, constants, layout);
    EXPECT_FALSE(result.needs_gradient());
    EXPECT_TRUE(close_tensors(result.value(), fused(one, watched, layout).value(), 0, 0));
  }
}

TEST(Recurrence, RefusesShapesThatDoNotFit) {
  const Case one{RecurrentKind::lstm, Direction::forward, true};
  const Ragged layout({2, 3});
  const std::vector<Tensor> inputs = random_inputs(one, layout, 4, 5, Type::float32);
  for (size_t wrong = 0; wrong < inputs.size(); ++wrong) {
    Tape tape;
    std::vector<Variable> variables;
    for (size_t i = 0; i < inputs.size(); ++i)
      variables.push_back(tape.watch(i == wrong ? random_tensor({6, 7}, 1) : inputs[i]));
    EXPECT_THROW(fused(one, variables, layout), Error) << "input " << wrong;
  }
  Tape tape;
  std::vector<Variable> variables;
  for (const Tensor& input : inputs) variables.push_back(tape.watch(input));
  EXPECT_THROW(fused(one, variables, Ragged({2, 2})), Error);
  EXPECT_THROW(fused(one, variables, Ragged({5})), Error);
}

}  // namespace
}  // namespace heed
