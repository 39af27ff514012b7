// What the forward and the backward pass of recur_attentively share.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "heed/attention/attentive_recurrence.h"
#include "heed/kernels/arithmetic.h"

namespace heed::attentive {

using kernels::MatrixView;

// What the forward pass computes for one layer, in the order of the steps. The backward pass turns
// the gates into their gradients, in place.
struct LayerTrace {
  Tensor previous, previous_cells;  // (tokens, hidden): the states that the steps begin with
  Tensor input;                     // (tokens, hidden), of the layers above the lowest
  Tensor gates, hidden_gates;       // (tokens, gates × hidden)
  Tensor states, cells;             // (tokens, hidden); the top layer's states are in the value
};

struct Trace {
  std::vector<LayerTrace> layers;
  Tensor queries;  // (tokens, score width), where the state itself is not the query
  Tensor weights;  // (tokens, longest source)
  Tensor value;    // (tokens, hidden + context width)
};

// Everything the two passes share.
struct Plan {
  AttentiveInputs inputs;
  std::shared_ptr<const TimeSteps> steps;
  RandomKey dropout_key;
  Trace trace;
  std::shared_ptr<Tensor> context_gradient = {};  // where it is wanted, by the order of sentences

  Tape& tape() const { return inputs.x.tape(); }
  size_t layers() const { return inputs.weights.layers.size(); }
  int64_t hidden() const { return inputs.weights.hidden(); }
  int64_t context_width() const { return inputs.values.shape()[1]; }
  bool lstm() const { return inputs.weights.kind == RecurrentKind::lstm; }
  bool projects_query() const { return inputs.weights.query_weight.present(); }

  template <typename T>
  AttentiveSource<T> source() const {
    return {inputs.keys.value().matrix<T>(), inputs.values.value().matrix<T>(), inputs.source};
  }
  std::vector<int64_t> sentences(int64_t step) const {
    std::vector<int64_t> result;
    for (int64_t rank = 0; rank < steps->running(step); ++rank)
      result.push_back(steps->sequence(rank));
    return result;
  }
  // The rows of one step.
  template <typename T>
  MatrixView<T> of_step(MatrixView<T> rows, int64_t step) const {
    return rows.present() ? rows.block(steps->first(step), 0, steps->running(step), rows.columns)
                          : rows;
  }
  template <typename T>
  MatrixView<T> of_step(const Tensor& rows, int64_t step) const {
    // Both passes share a constant plan, but may write what its trace points to.
    Tensor shared = rows;
    return shared.present() ? of_step(shared.matrix<T>(), step) : MatrixView<T>{};
  }
  template <typename T>
  MatrixView<T> states() const {
    Tensor value = trace.value;
    return value.matrix<T>().block(0, 0, value.shape()[0], hidden());
  }
  template <typename T>
  MatrixView<T> contexts() const {
    Tensor value = trace.value;
    return value.matrix<T>().block(0, hidden(), value.shape()[0], context_width());
  }
};

template <typename T>
void copy_rows(MatrixView<const T> from, MatrixView<T> into) {
  for (int64_t row = 0; row < into.rows; ++row) std::ranges::copy(row_of(from, row), into.row(row));
}

template <typename T>
void add_rows(MatrixView<const T> from, MatrixView<T> into) {
  for (int64_t row = 0; row < into.rows; ++row)
    kernels::add_scaled(T(1), row_of(from, row), row_of(into, row));
}

// A row for each token, from the order of the steps to that of the sentences.
template <typename T>
void copy_to_sentences(const TimeSteps& steps, MatrixView<const T> from, MatrixView<T> into) {
  for (int64_t step = 0; step < steps.steps(); ++step)
    for (int64_t rank = 0; rank < steps.running(step); ++rank)
      std::ranges::copy(row_of(from, steps.first(step) + rank),
                        into.row(steps.token(step, rank, Direction::forward)));
}

// The lowest layer's weight reads (context, input): its right columns.
template <typename M>
M input_columns(const Plan& plan, M weight) {
  return weight.block(0, plan.context_width(), weight.rows, weight.columns - plan.context_width());
}
template <typename M>
M context_columns(const Plan& plan, M weight) {
  return weight.block(0, 0, weight.rows, plan.context_width());
}

template <typename T>
StepRows<T> rows_of(const Plan& plan, int64_t step) {
  const Trace& trace = plan.trace;
  StepRows<T> rows{.layers = {},
                   .sentences = plan.sentences(step),
                   .queries = plan.of_step<T>(trace.queries, step),
                   .weights = plan.of_step<T>(trace.weights, step),
                   .contexts = plan.of_step(plan.contexts<T>(), step),
                   .dropout = plan.inputs.dropout,
                   .dropout_key = plan.dropout_key,
                   .first_row = plan.steps->first(step)};
  for (const LayerTrace& layer : trace.layers) {
    const bool top = !layer.states.present();
    rows.layers.push_back(
        {.previous = plan.of_step<T>(layer.previous, step),
         .previous_cells = plan.of_step<T>(layer.previous_cells, step),
         .input = plan.of_step<T>(layer.input, step),
         .gates = plan.of_step<T>(layer.gates, step),
         .hidden_gates = plan.of_step<T>(layer.hidden_gates, step),
         .states = top ? plan.of_step(plan.states<T>(), step) : plan.of_step<T>(layer.states, step),
         .cells = plan.of_step<T>(layer.cells, step)});
  }
  return rows;
}

// The gradients of everything that the plan's op reads, from that of its value.
template <typename T>
void backward(const Plan& plan, const Tensor& gradient);

extern template void backward<float>(const Plan&, const Tensor&);
extern template void backward<double>(const Plan&, const Tensor&);

}  // namespace heed::attentive
