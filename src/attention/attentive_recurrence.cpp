#include "heed/attention/attentive_recurrence.h"

#include "heed/attention/attentive_plan.h"
#include "heed/base/error.h"
#include "heed/kernels/gemm.h"

namespace heed {

namespace {

using attentive::copy_rows;
using attentive::input_columns;
using attentive::LayerTrace;
using attentive::Plan;
using attentive::rows_of;
using attentive::Trace;

template <typename T>
void forward(const Plan& plan) {
  const AttentiveInputs& inputs = plan.inputs;
  const RecurrentWeights& lowest = inputs.weights.layers.front();
  Tensor gates = plan.trace.layers.front().gates;
  kernels::gemm(inputs.x.value().matrix<T>(),
                input_columns(plan, lowest.input_weight.matrix<T>()).transposed(),
                gates.matrix<T>(), {.bias = lowest.input_bias.span<T>()});
  if (plan.steps->steps() == 0) return;
  StepRows<T> rows = rows_of<T>(plan, 0);
  for (size_t layer = 0; layer < plan.layers(); ++layer) {
    const LayerTrace& trace = plan.trace.layers[layer];
    copy_rows(inputs.hidden[layer].value().matrix<T>(), plan.of_step<T>(trace.previous, 0));
    if (plan.lstm())
      copy_rows(inputs.cells[layer].value().matrix<T>(), plan.of_step<T>(trace.previous_cells, 0));
  }
  const AttentiveCell<T> cell(inputs.weights, plan.context_width());
  for (int64_t step = 0; step < plan.steps->steps(); ++step) {
    cell.step(plan.source<T>(), rows);
    if (step + 1 == plan.steps->steps()) break;
    // The sequences that continue are the first of those that took the step.
    for (size_t layer = 0; layer < plan.layers(); ++layer) {
      const LayerTrace& trace = plan.trace.layers[layer];
      copy_rows<T>(rows.layers[layer].states, plan.of_step<T>(trace.previous, step + 1));
      if (plan.lstm())
        copy_rows<T>(rows.layers[layer].cells, plan.of_step<T>(trace.previous_cells, step + 1));
    }
    rows = rows_of<T>(plan, step + 1);
  }
}

// (sentences, one head, queries, keys), with zeros beyond each sentence's end.
template <typename T>
Tensor weights_by_sentence(const Plan& plan) {
  const Ragged &source = plan.inputs.source, &target = plan.steps->layout();
  const int64_t queries = target.longest(), keys = source.longest();
  Tensor weights = Tensor::zeros({target.sequences(), 1, queries, keys}, type_of<T>());
  const kernels::MatrixView<const T> rows = plan.trace.weights.template matrix<T>();
  for (int64_t step = 0; step < plan.steps->steps(); ++step)
    for (int64_t rank = 0; rank < plan.steps->running(step); ++rank) {
      const int64_t sentence = plan.steps->sequence(rank);
      std::copy_n(rows.row(plan.steps->first(step) + rank), source.length(sentence),
                  weights.matrix<T>().row(sentence * queries + step));
    }
  return weights;
}

void require_shape(std::string_view what, const Variable& found, const Shape& expected, Type type) {
  require(found.shape() == expected, "recur_attentively: {} of shape {} but {} was expected", what,
          found.shape(), expected);
  require(found.type() == type, "recur_attentively: {} of type {} but the input has type {}", what,
          name_of(found.type()), name_of(type));
}

void check(const AttentiveInputs& inputs, const TimeSteps& steps) {
  const AttentiveWeights& weights = inputs.weights;
  const Type type = inputs.x.type();
  require(!weights.layers.empty() && inputs.hidden.size() == weights.layers.size(),
          "recur_attentively: {} layers but {} initial states", weights.layers.size(),
          inputs.hidden.size());
  const bool lstm = weights.kind == RecurrentKind::lstm;
  require(inputs.cells.size() == (lstm ? weights.layers.size() : 0),
          "recur_attentively: {} layers but {} initial cells", weights.layers.size(),
          inputs.cells.size());
  require(inputs.source.sequences() == steps.layout().sequences(),
          "recur_attentively: {} source sentences but {} target sentences",
          inputs.source.sequences(), steps.layout().sequences());
  const int64_t context = inputs.values.shape().columns();
  const int64_t score =
      weights.query_weight.present() ? weights.query_weight.shape()[0] : weights.hidden();
  require_shape("an input", inputs.x,
                {steps.layout().tokens(), weights.layers.front().input_weight.shape()[1] - context},
                type);
  require_shape("keys", inputs.keys, {inputs.source.tokens(), score}, type);
  require_shape("values", inputs.values, {inputs.source.tokens(), context}, type);
  const Shape states{steps.steps() == 0 ? 0 : steps.running(0), weights.hidden()};
  for (const Variable& state : inputs.hidden)
    require_shape("an initial state", state, states, type);
  for (const Variable& cell : inputs.cells) require_shape("an initial cell", cell, states, type);
}

Trace allocate(const AttentiveInputs& inputs, int64_t tokens) {
  const auto rows = [&](int64_t columns) {
    return inputs.x.tape().allocate({tokens, columns}, inputs.x.type());
  };
  const AttentiveWeights& weights = inputs.weights;
  const int64_t hidden = weights.hidden(), gates = gates_of(weights.kind) * hidden;
  const bool lstm = weights.kind == RecurrentKind::lstm;
  Trace trace;
  for (size_t layer = 0; layer < weights.layers.size(); ++layer)
    trace.layers.push_back({.previous = rows(hidden),
                            .previous_cells = lstm ? rows(hidden) : Tensor(),
                            .input = layer > 0 ? rows(hidden) : Tensor(),
                            .gates = rows(gates),
                            .hidden_gates = rows(gates),
                            .states = layer + 1 < weights.layers.size() ? rows(hidden) : Tensor(),
                            .cells = lstm ? rows(hidden) : Tensor()});
  if (weights.query_weight.present()) trace.queries = rows(weights.query_weight.shape()[0]);
  trace.weights = rows(inputs.source.longest());
  trace.value = rows(hidden + inputs.values.shape()[1]);
  return trace;
}

std::vector<Variable> all_variables(const AttentiveInputs& inputs) {
  Tape& tape = inputs.x.tape();
  std::vector<Variable> all{inputs.x, inputs.keys, inputs.values};
  all.insert(all.end(), inputs.hidden.begin(), inputs.hidden.end());
  all.insert(all.end(), inputs.cells.begin(), inputs.cells.end());
  const auto watch = [&](const Tensor& weight) {
    if (weight.present()) all.push_back(tape.watch(weight));
  };
  watch(inputs.weights.query_weight);
  watch(inputs.weights.score_vector);
  for (const RecurrentWeights& layer : inputs.weights.layers) {
    watch(layer.input_weight);
    watch(layer.hidden_weight);
    watch(layer.input_bias);
    watch(layer.hidden_bias);
  }
  return all;
}

}  // namespace

Variable recur_attentively(const AttentiveInputs& inputs, std::shared_ptr<const TimeSteps> steps,
                           RecordedAttention* record) {
  check(inputs, *steps);
  Tape& tape = inputs.x.tape();
  const auto plan = std::make_shared<Plan>(
      Plan{.inputs = inputs, .steps = steps, .dropout_key = {}, .trace = {}});
  if (tape.training() && inputs.dropout > 0.0 && plan->layers() > 1) {
    plan->dropout_key = tape.next_key();
  } else {
    plan->inputs.dropout = 0.0;
  }
  // Before the forward pass, because whoever watches a weight may have to wait for it.
  const std::vector<Variable> variables = all_variables(inputs);
  plan->trace = allocate(inputs, steps->layout().tokens());
  if (record != nullptr) plan->context_gradient = record->gradient = std::make_shared<Tensor>();
  with_type(inputs.x.type(), [&](auto zero) {
    forward<decltype(zero)>(*plan);
    if (record != nullptr) record->weights = weights_by_sentence<decltype(zero)>(*plan);
  });
  return tape.record(plan->trace.value, variables, [plan](const Tensor& gradient) {
    with_type(gradient.type(),
              [&](auto zero) { attentive::backward<decltype(zero)>(*plan, gradient); });
  });
}

}  // namespace heed
