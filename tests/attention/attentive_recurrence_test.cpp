// The fused decoder against its definition: the same network built from attend and single recurrent
// steps, sequence by sequence.
#include "heed/attention/attentive_recurrence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "error_of.h"
#include "heed/attention/attend.h"
#include "heed/autograd/gradient_check.h"
#include "heed/autograd/layout.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::values_of;

constexpr int64_t embedding = 3, hidden = 5, context = 4, score_width = 6;

struct Case {
  RecurrentKind kind;
  bool additive;  // or scaled dot
  int layers;
};

std::string describe(const Case& one) {
  return fmt::format("{} {} layers, {}", one.layers,
                     one.kind == RecurrentKind::gru ? "gru" : "lstm",
                     one.additive ? "additive" : "scaled dot");
}

const std::vector<Case> all_cases = [] {
  std::vector<Case> cases;
  for (const RecurrentKind kind : {RecurrentKind::gru, RecurrentKind::lstm})
    for (const bool additive : {false, true})
      for (const int layers : {1, 3}) cases.push_back({kind, additive, layers});
  return cases;
}();

// One sentence of each side is empty, and the lengths are not sorted.
const Ragged source({4, 2, 0, 5}), target({2, 0, 3, 4});

// Everything the op reads.
struct Network {
  Tensor x, keys, values, query_weight, score_vector;
  std::vector<Tensor> hidden_start, cell_start;
  std::vector<RecurrentWeights> layers;

  // Keys are as wide as the additive score's hidden layer, or as the state.
  Network(const Case& one, Type type) {
    uint64_t seed = 1;
    const auto numbers = [&](Shape shape, double deviation = 1.0) {
      Tensor tensor = random_tensor(shape, seed++);
      for (float& number : tensor.span<float>()) number *= static_cast<float>(deviation);
      return tensor.to(type);
    };
    x = numbers({target.tokens(), embedding});
    keys = numbers({source.tokens(), one.additive ? score_width : hidden});
    values = numbers({source.tokens(), context});
    if (one.additive) {
      query_weight = numbers({score_width, hidden});
      score_vector = numbers({score_width});
    }
    const int64_t rows = gates_of(one.kind) * hidden;
    for (int layer = 0; layer < one.layers; ++layer) {
      const int64_t inputs = layer == 0 ? context + embedding : hidden;
      layers.push_back({.input_weight = numbers({rows, inputs}, 0.5),
                        .hidden_weight = numbers({rows, hidden}, 0.5),
                        .input_bias = numbers({rows}),
                        .hidden_bias = numbers({rows})});
      hidden_start.push_back(numbers({3, hidden}));
      if (one.kind == RecurrentKind::lstm) cell_start.push_back(numbers({3, hidden}));
    }
  }

  std::vector<Tensor*> tensors() {
    std::vector<Tensor*> all{&x, &keys, &values};
    if (query_weight.present()) all.insert(all.end(), {&query_weight, &score_vector});
    for (std::vector<Tensor>* states : {&hidden_start, &cell_start})
      for (Tensor& state : *states) all.push_back(&state);
    for (RecurrentWeights& layer : layers)
      all.insert(all.end(), {&layer.input_weight, &layer.hidden_weight, &layer.input_bias,
                             &layer.hidden_bias});
    return all;
  }

  AttentiveInputs inputs(Tape& tape, RecurrentKind kind) const {
    AttentiveInputs inputs{.x = tape.watch(x),
                           .hidden = {},
                           .cells = {},
                           .keys = tape.watch(keys),
                           .values = tape.watch(values),
                           .source = source,
                           .weights = {.kind = kind, .layers = layers}};
    for (const Tensor& state : hidden_start) inputs.hidden.push_back(tape.watch(state));
    for (const Tensor& state : cell_start) inputs.cells.push_back(tape.watch(state));
    inputs.weights.query_weight = query_weight;
    inputs.weights.score_vector = score_vector;
    inputs.weights.score_scale = 1.0 / std::sqrt(static_cast<double>(hidden));
    return inputs;
  }
};

// The op's keys are already projected, so the additive score gets an identity to project them with.
Score score_of(Tape& tape, const AttentiveInputs& inputs) {
  if (!inputs.weights.query_weight.present()) return ScaledDot{};
  Tensor identity = Tensor::zeros({score_width, score_width}, inputs.x.type());
  with_type(identity.type(), [&](auto zero) {
    for (int64_t i = 0; i < score_width; ++i) identity.matrix<decltype(zero)>()(i, i) = 1;
  });
  return Additive{tape.watch(inputs.weights.query_weight), tape.constant(identity),
                  tape.watch(inputs.weights.score_vector)};
}

Variable composed(const AttentiveInputs& inputs, const TimeSteps& steps) {
  Tape& tape = inputs.x.tape();
  const AttentiveWeights& weights = inputs.weights;
  const auto one_step = std::make_shared<const TimeSteps>(Ragged({1}));
  std::vector<Variable> rows(static_cast<size_t>(steps.layout().tokens()));
  for (int64_t rank = 0; rank < steps.running(0); ++rank) {
    std::vector<Variable> states, cells;
    for (const Variable& state : inputs.hidden) states.push_back(slice(state, rank, rank + 1));
    for (const Variable& cell : inputs.cells) cells.push_back(slice(cell, rank, rank + 1));
    const int64_t sentence = steps.sequence(rank), begin = source.begin(sentence),
                  end = source.end(sentence);
    for (int64_t step = 0; step < steps.layout().length(sentence); ++step) {
      const int64_t row = steps.first(step) + rank;
      const Variable found = attend({.queries = states.back(),
                                     .keys = slice(inputs.keys, begin, end),
                                     .values = slice(inputs.values, begin, end),
                                     .score = score_of(tape, inputs)})
                                 .output;
      Variable input = concatenate_columns(std::vector{found, slice(inputs.x, row, row + 1)});
      for (size_t layer = 0; layer < weights.layers.size(); ++layer) {
        const RecurrentWeights& own = weights.layers[layer];
        const RecurrenceResult result = recur(weights.kind,
                                              {.x = input,
                                               .input_weight = tape.watch(own.input_weight),
                                               .hidden_weight = tape.watch(own.hidden_weight),
                                               .input_bias = tape.watch(own.input_bias),
                                               .hidden_bias = tape.watch(own.hidden_bias),
                                               .hidden = states[layer],
                                               .cells = cells.empty() ? Variable() : cells[layer]},
                                              one_step, Direction::forward);
        input = states[layer] = result.hidden;
        if (!cells.empty()) cells[layer] = result.cells;
      }
      rows[static_cast<size_t>(row)] = concatenate_columns(std::vector{states.back(), found});
    }
  }
  return reshape(concatenate_columns(rows), {static_cast<int64_t>(rows.size()), hidden + context});
}

TEST(AttentiveRecurrence, EqualsItsDefinitionInValueAndGradient) {
  for (const Case& one : all_cases)
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(fmt::format("{}, {}", describe(one), name_of(type)));
      Network network(one, type);
      const auto steps = std::make_shared<const TimeSteps>(target);
      const Tensor gradient = random_tensor({target.tokens(), hidden + context}, 99).to(type);
      const double tolerance = type == Type::float32 ? 2e-5 : 1e-11;

      Tape fused_tape, composed_tape;
      const Variable fused = recur_attentively(network.inputs(fused_tape, one.kind), steps);
      const Variable expected = composed(network.inputs(composed_tape, one.kind), *steps);
      EXPECT_TRUE(
          close(values_of(fused.value()), values_of(expected.value()), tolerance, tolerance));

      fused_tape.backward(fused, gradient);
      composed_tape.backward(expected, gradient);
      for (const Tensor* tensor : network.tensors())
        EXPECT_TRUE(close(values_of(fused_tape.gradient_of(*tensor)),
                          values_of(composed_tape.gradient_of(*tensor)), tolerance, tolerance));
    }
}

TEST(AttentiveRecurrence, GradientsThroughDropoutBetweenLayers) {
  for (const Case& one : all_cases) {
    SCOPED_TRACE(describe(one));
    Network network(one, Type::float64);
    std::vector<Tensor> tensors;
    for (const Tensor* tensor : network.tensors()) tensors.push_back(*tensor);
    const auto run = [&](Tape& tape, const std::vector<Variable>& variables) {
      size_t next = 0;
      for (Tensor* tensor : network.tensors()) *tensor = variables[next++].value();
      AttentiveInputs inputs = network.inputs(tape, one.kind);
      inputs.dropout = 0.4;
      return recur_attentively(inputs, std::make_shared<const TimeSteps>(target));
    };
    const GradientCheckResult result =
        check_gradients(tensors, run, {.tape = {.training = true, .seed = 3}});
    EXPECT_TRUE(result.passed) << result.complaint;
  }
}

TEST(AttentiveRecurrence, DropsOnlyInTrainingAndOnlyBetweenLayers) {
  const auto run = [](const Case& one, double dropout, bool training) {
    Tape tape({.training = training, .seed = 5});
    const Network network(one, Type::float32);
    AttentiveInputs inputs = network.inputs(tape, one.kind);
    inputs.dropout = dropout;
    return values_of(recur_attentively(inputs, std::make_shared<const TimeSteps>(target)).value());
  };
  const Case one_layer{RecurrentKind::gru, true, 1}, three_layers{RecurrentKind::gru, true, 3};
  EXPECT_EQ(run(one_layer, 0.5, true), run(one_layer, 0.0, true));
  EXPECT_EQ(run(three_layers, 0.5, false), run(three_layers, 0.0, false));
  EXPECT_NE(run(three_layers, 0.5, true), run(three_layers, 0.0, true));
}

TEST(AttentiveRecurrence, TakesABatchWithoutTokens) {
  const Case one{RecurrentKind::lstm, true, 2};
  const Network network(one, Type::float32);
  Tape tape;
  AttentiveInputs inputs = network.inputs(tape, one.kind);
  inputs.x = tape.watch(Tensor::zeros({0, embedding}));
  inputs.keys = tape.watch(Tensor::zeros({0, score_width}));
  inputs.values = tape.watch(Tensor::zeros({0, context}));
  inputs.source = Ragged({0, 0});
  inputs.hidden = inputs.cells = {tape.watch(Tensor::zeros({0, hidden})),
                                  tape.watch(Tensor::zeros({0, hidden}))};
  const Variable result =
      recur_attentively(inputs, std::make_shared<const TimeSteps>(Ragged({0, 0})));
  EXPECT_EQ(result.shape(), (Shape{0, hidden + context}));
  tape.backward(result, Tensor::zeros({0, hidden + context}));
}

TEST(AttentiveRecurrence, RefusesWhatDoesNotFit) {
  const Case one{RecurrentKind::gru, true, 1};
  const Network network(one, Type::float32);
  const auto steps = std::make_shared<const TimeSteps>(target);
  const auto complaint = [&](auto change) {
    return error_of([&] {
      Tape tape;
      AttentiveInputs inputs = network.inputs(tape, one.kind);
      change(tape, inputs);
      recur_attentively(inputs, steps);
    });
  };
  EXPECT_EQ(complaint([](Tape& tape, AttentiveInputs& inputs) {
              inputs.keys = tape.watch(random_tensor({11, 5}, 1));
            }),
            "recur_attentively: keys of shape (11, 5) but (11, 6) was expected");
  EXPECT_EQ(complaint([](Tape&, AttentiveInputs& inputs) { inputs.hidden.clear(); }),
            "recur_attentively: 1 layers but 0 initial states");
  EXPECT_EQ(
      complaint([](Tape&, AttentiveInputs& inputs) { inputs.weights.kind = RecurrentKind::lstm; }),
      "recur_attentively: 1 layers but 0 initial cells");
  EXPECT_EQ(complaint([](Tape&, AttentiveInputs& inputs) { inputs.source = Ragged({11}); }),
            "recur_attentively: 1 source sentences but 4 target sentences");
  EXPECT_EQ(complaint([](Tape& tape, AttentiveInputs& inputs) {
              inputs.x = tape.watch(random_tensor({9, embedding}, 1).to(Type::float64));
            }),
            "recur_attentively: keys of type float32 but the input has type float64");
}

}  // namespace
}  // namespace heed
