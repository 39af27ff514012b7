#include "heed/models/attentive_recurrence.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/recurrent.h"

namespace heed {

namespace {

using kernels::MatrixView;

// What the forward pass computes for one layer, in the order of the steps. The backward pass turns the gates
// into their gradients, in place.
struct LayerTrace {
  Tensor previous, previous_cells;  // (tokens, hidden): the states that the steps begin with
  Tensor input;                     // (tokens, hidden), of the layers above the lowest
  Tensor gates, hidden_gates;       // (tokens, gates × hidden)
  Tensor states, cells;             // (tokens, hidden); the top layer's states are in the value
};

struct Trace {
  std::vector<LayerTrace> layers;
  Tensor queries;  // (tokens, score depth), where the state itself is not the query
  Tensor weights;  // (tokens, longest source)
  Tensor value;    // (tokens, hidden + context depth)
};

// Everything the two passes share.
struct Plan {
  AttentiveInputs inputs;
  std::shared_ptr<const TimeSteps> steps;
  RandomKey dropout_key;
  Trace trace;

  Tape& tape() const { return inputs.x.tape(); }
  size_t layers() const { return inputs.weights.layers.size(); }
  int64_t hidden() const { return inputs.weights.hidden(); }
  int64_t context_depth() const { return inputs.values.shape()[1]; }
  bool lstm() const { return inputs.weights.kind == RecurrentKind::lstm; }
  bool projects_query() const { return inputs.weights.query_weight.present(); }

  template <typename T>
  AttentiveSource<T> source() const {
    return {inputs.keys.value().matrix<T>(), inputs.values.value().matrix<T>(), inputs.source};
  }
  std::vector<int64_t> sentences(int64_t step) const {
    std::vector<int64_t> result;
    for (int64_t rank = 0; rank < steps->running(step); ++rank) result.push_back(steps->sequence(rank));
    return result;
  }
  // The rows of one step.
  template <typename T>
  MatrixView<T> of_step(MatrixView<T> rows, int64_t step) const {
    return rows.present() ? rows.block(steps->first(step), 0, steps->running(step), rows.columns) : rows;
  }
  template <typename T>
  MatrixView<T> of_step(const Tensor& rows, int64_t step) const {
    // A plan is shared by both passes and as such constant; what its trace points to is theirs to write.
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
    return value.matrix<T>().block(0, hidden(), value.shape()[0], context_depth());
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

// The lowest layer's weight reads (context, input): its right columns.
template <typename M>
M input_columns(const Plan& plan, M weight) {
  return weight.block(0, plan.context_depth(), weight.rows, weight.columns - plan.context_depth());
}
template <typename M>
M context_columns(const Plan& plan, M weight) {
  return weight.block(0, 0, weight.rows, plan.context_depth());
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

template <typename T>
void forward(const Plan& plan) {
  const AttentiveInputs& inputs = plan.inputs;
  const RecurrentWeights& lowest = inputs.weights.layers.front();
  Tensor gates = plan.trace.layers.front().gates;
  kernels::gemm(inputs.x.value().matrix<T>(),
                input_columns(plan, lowest.input_weight.matrix<T>()).transposed(), gates.matrix<T>(),
                {.bias = lowest.input_bias.span<T>()});
  if (plan.steps->steps() == 0) return;
  StepRows<T> rows = rows_of<T>(plan, 0);
  for (size_t layer = 0; layer < plan.layers(); ++layer) {
    const LayerTrace& trace = plan.trace.layers[layer];
    copy_rows(inputs.hidden[layer].value().matrix<T>(), plan.of_step<T>(trace.previous, 0));
    if (plan.lstm())
      copy_rows(inputs.cells[layer].value().matrix<T>(), plan.of_step<T>(trace.previous_cells, 0));
  }
  const AttentiveCell<T> cell(inputs.weights, plan.context_depth());
  for (int64_t step = 0; step < plan.steps->steps(); ++step) {
    cell.step(plan.source<T>(), rows);
    if (step + 1 == plan.steps->steps()) break;
    // The sequences that go on are the first of those that took the step.
    for (size_t layer = 0; layer < plan.layers(); ++layer) {
      const LayerTrace& trace = plan.trace.layers[layer];
      copy_rows<T>(rows.layers[layer].states, plan.of_step<T>(trace.previous, step + 1));
      if (plan.lstm())
        copy_rows<T>(rows.layers[layer].cells, plan.of_step<T>(trace.previous_cells, step + 1));
    }
    rows = rows_of<T>(plan, step + 1);
  }
}

// Walks the steps back. Holds a reference: lives no longer than the call that makes it.
template <typename T>
class Backward {
 public:
  Backward(const Plan& plan, const Tensor& gradient)
      : plan_(plan),
        d_states_of_value_(context_free(gradient)),
        d_contexts_(plan.tape().allocate({gradient.shape()[0], plan.context_depth()}, type_of<T>())),
        d_keys_(sink(plan.inputs.keys)),
        d_values_(sink(plan.inputs.values)) {
    const AttentiveWeights& weights = plan.inputs.weights;
    copy_rows<T>(gradient.matrix<T>().block(0, plan.hidden(), gradient.shape()[0], plan.context_depth()),
                 d_contexts_.template matrix<T>());
    if (plan.projects_query()) {
      d_queries_ = plan.tape().allocate_zeros(plan.trace.queries.shape(), type_of<T>());
      query_ = for_steps(weights.query_weight.matrix<T>());
    }
    if (weights.score_vector.present()) d_vector_ = sink(plan.tape().watch(weights.score_vector));
    context_ = for_steps(context_columns(plan, weights.layers.front().input_weight.matrix<T>()));
    const int64_t sequences = plan.steps->steps() == 0 ? 0 : plan.steps->running(0);
    for (size_t layer = 0; layer < plan.layers(); ++layer) {
      if (layer > 0) input_.push_back(for_steps(weights.layers[layer].input_weight.matrix<T>()));
      hidden_.push_back(for_steps(weights.layers[layer].hidden_weight.matrix<T>()));
      const Shape shape{sequences, plan.hidden()};
      d_hidden_.push_back(plan.tape().allocate_zeros(shape, type_of<T>()));
      if (plan.lstm()) d_cells_.push_back(plan.tape().allocate_zeros(shape, type_of<T>()));
    }
    if (plan.layers() > 1) d_input_ = plan.tape().allocate({sequences, plan.hidden()}, type_of<T>());
  }

  void run() {
    for (int64_t step = plan_.steps->steps() - 1; step >= 0; --step) {
      const StepRows<T> rows = rows_of<T>(plan_, step);
      add_rows(plan_.of_step(d_states_of_value_, step), running(d_hidden_.back(), step));
      for (size_t layer = plan_.layers(); layer-- > 0;) step_layer(layer, step, rows);
      attend(step, rows);
    }
    for (size_t layer = 0; layer < plan_.layers(); ++layer) add_layer_gradients(layer);
    add_score_gradients();
  }

 private:
  MatrixView<const T> context_free(const Tensor& gradient) const {
    return gradient.matrix<T>().block(0, 0, gradient.shape()[0], plan_.hidden());
  }
  static Tensor sink(const Variable& variable) {
    return variable.needs_gradient() ? variable.gradient_to_add_to()
                                     : variable.tape().allocate_zeros(variable.shape(), type_of<T>());
  }
  MatrixView<T> running(Tensor& by_rank, int64_t step) const {
    return by_rank.slice(0, plan_.steps->running(step)).template matrix<T>();
  }

  // Gates become their gradients; the state's gradient becomes that of the state before the step.
  void step_layer(size_t layer, int64_t step, const StepRows<T>& rows) {
    const LayerRows<T>& own = rows.layers[layer];
    const MatrixView<T> d_hidden = running(d_hidden_[layer], step);
    const MatrixView<T> d_cells = plan_.lstm() ? running(d_cells_[layer], step) : MatrixView<T>{};
    for (int64_t row = 0; row < d_hidden.rows; ++row) step_row(own, row, d_hidden, d_cells);
    // Through an LSTM's step the hidden state goes only by way of the gates; through a GRU's also directly.
    multiply(own.hidden_gates, hidden_[layer], d_hidden, {.accumulate = !plan_.lstm()});
    if (layer == 0) return;
    const MatrixView<T> d_input = running(d_input_, step);
    multiply(own.gates, input_[layer - 1], d_input);
    const RandomKey key = derive_key(rows.dropout_key, layer);
    for (int64_t row = 0; row < d_input.rows; ++row)
      kernels::dropout(row_of(MatrixView<const T>(d_input), row), row_of(d_input, row), rows.dropout, key,
                       static_cast<uint32_t>((rows.first_row + row) * d_input.columns));
    add_rows<T>(d_input, running(d_hidden_[layer - 1], step));
  }

  void step_row(const LayerRows<T>& own, int64_t row, MatrixView<T> d_hidden, MatrixView<T> d_cells) {
    switch (plan_.inputs.weights.kind) {
      case RecurrentKind::gru:
        kernels::gru_step_backward(kernels::GruStepGradient<T>{.previous = row_of(own.previous, row),
                                                               .hidden_gates = row_of(own.hidden_gates, row),
                                                               .gates = row_of(own.gates, row),
                                                               .state = row_of(d_hidden, row)});
        break;
      case RecurrentKind::lstm:
        kernels::lstm_step_backward(
            kernels::LstmStepGradient<T>{.previous_cell = row_of(own.previous_cells, row),
                                         .state = row_of(MatrixView<const T>(d_hidden), row),
                                         .hidden_gates = row_of(own.hidden_gates, row),
                                         .gates = row_of(own.gates, row),
                                         .cell = row_of(d_cells, row)});
        break;
    }
  }

  // From the contexts to keys, values and, by way of the query, the top layer's states before the step.
  void attend(int64_t step, const StepRows<T>& rows) {
    const AttentiveSource<T> source = plan_.source<T>();
    const MatrixView<T> d_contexts = plan_.of_step<T>(d_contexts_, step);
    multiply(rows.layers.front().gates, context_, d_contexts, {.accumulate = true});
    const MatrixView<T> d_states = running(d_hidden_.back(), step);
    const MatrixView<T> d_queries = plan_.projects_query() ? plan_.of_step<T>(d_queries_, step) : d_states;
    const MatrixView<const T> queries =
        plan_.projects_query() ? MatrixView<const T>(rows.queries) : rows.layers.back().previous;
    for (int64_t row = 0; row < d_contexts.rows; ++row) {
      const int64_t sentence = rows.sentences[static_cast<size_t>(row)];
      const size_t keys = static_cast<size_t>(source.layout.length(sentence));
      kernels::attend_query_backward(
          query_attention(plan_.inputs.weights, source, sentence, row_of(queries, row)),
          row_of(MatrixView<const T>(rows.weights), row).first(keys),
          row_of(MatrixView<const T>(rows.contexts), row), row_of(MatrixView<const T>(d_contexts), row),
          {.query = row_of(d_queries, row),
           .keys = of_sentence(d_keys_, sentence),
           .values = of_sentence(d_values_, sentence),
           .vector = d_vector_.present() ? d_vector_.template span<T>() : std::span<T>()});
    }
    if (plan_.projects_query()) multiply(d_queries, query_, d_states, {.accumulate = true});
  }

  MatrixView<T> of_sentence(Tensor& gradient, int64_t sentence) const {
    const Ragged& layout = plan_.inputs.source;
    return gradient.slice(layout.begin(sentence), layout.end(sentence)).template matrix<T>();
  }

  // Products that wait for the end: one over all steps instead of one for each.
  void add_layer_gradients(size_t layer) {
    const LayerTrace& trace = plan_.trace.layers[layer];
    const RecurrentWeights& weights = plan_.inputs.weights.layers[layer];
    add_product(weights.hidden_weight, trace.hidden_gates, trace.previous);
    add_sum(weights.hidden_bias, trace.hidden_gates);
    add_sum(weights.input_bias, trace.gates);
    if (layer > 0) {
      add_product(weights.input_weight, trace.gates, trace.input);
    } else {
      add_lowest_gradients();
    }
    add_to(plan_.inputs.hidden[layer], d_hidden_[layer]);
    if (plan_.lstm()) add_to(plan_.inputs.cells[layer], d_cells_[layer]);
  }

  void add_lowest_gradients() {
    const Tensor& weight = plan_.inputs.weights.layers.front().input_weight;
    const MatrixView<const T> gates = plan_.trace.layers.front().gates.template matrix<T>();
    const Variable& x = plan_.inputs.x;
    if (const Variable watched = plan_.tape().watch(weight); watched.needs_gradient()) {
      Tensor d_weight = watched.gradient_to_add_to();
      kernels::gemm(gates.transposed(), x.value().matrix<T>(), input_columns(plan_, d_weight.matrix<T>()),
                    {.accumulate = true});
      kernels::gemm(gates.transposed(), MatrixView<const T>(plan_.contexts<T>()),
                    context_columns(plan_, d_weight.matrix<T>()), {.accumulate = true});
    }
    if (!x.needs_gradient()) return;
    Tensor dx = plan_.tape().allocate(x.shape(), type_of<T>());
    kernels::gemm(gates, input_columns(plan_, weight.matrix<T>()), dx.matrix<T>());
    x.add_gradient(dx);
  }

  void add_score_gradients() {
    if (plan_.projects_query())
      add_product(plan_.inputs.weights.query_weight, d_queries_, plan_.trace.layers.back().previous);
  }

  // gradientᵀ factor, to the gradient of a weight.
  void add_product(const Tensor& weight, const Tensor& gradient, const Tensor& factor) {
    const Variable watched = plan_.tape().watch(weight);
    if (!watched.needs_gradient()) return;
    Tensor d_weight = watched.gradient_to_add_to();
    kernels::gemm(gradient.matrix<T>().transposed(), factor.matrix<T>(), d_weight.matrix<T>(),
                  {.accumulate = true});
  }
  void add_sum(const Tensor& bias, const Tensor& gradient) {
    const Variable watched = plan_.tape().watch(bias);
    if (!watched.needs_gradient()) return;
    Tensor d_bias = watched.gradient_to_add_to();
    kernels::sum_rows(gradient.span<T>(), d_bias.span<T>());
  }
  static void add_to(const Variable& variable, const Tensor& gradient) {
    if (variable.needs_gradient()) variable.add_gradient(gradient);
  }

  const Plan& plan_;
  MatrixView<const T> d_states_of_value_;
  Tensor d_contexts_, d_queries_, d_keys_, d_values_, d_vector_;
  // The gradients of each layer's states, by rank, on their way from the last step to the first.
  std::vector<Tensor> d_hidden_, d_cells_;
  Tensor d_input_;
  StepWeights<T> query_, context_;
  std::vector<StepWeights<T>> input_, hidden_;  // `input_` of the layers above the lowest
};

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
          "recur_attentively: {} layers but {} initial states", weights.layers.size(), inputs.hidden.size());
  const bool lstm = weights.kind == RecurrentKind::lstm;
  require(inputs.cells.size() == (lstm ? weights.layers.size() : 0),
          "recur_attentively: {} layers but {} initial cells", weights.layers.size(), inputs.cells.size());
  require(inputs.source.sequences() == steps.layout().sequences(),
          "recur_attentively: {} source sentences but {} target sentences", inputs.source.sequences(),
          steps.layout().sequences());
  const int64_t context = inputs.values.shape().columns();
  const int64_t score = weights.query_weight.present() ? weights.query_weight.shape()[0] : weights.hidden();
  require_shape("an input", inputs.x,
                {steps.layout().tokens(), weights.layers.front().input_weight.shape()[1] - context}, type);
  require_shape("keys", inputs.keys, {inputs.source.tokens(), score}, type);
  require_shape("values", inputs.values, {inputs.source.tokens(), context}, type);
  const Shape states{steps.steps() == 0 ? 0 : steps.running(0), weights.hidden()};
  for (const Variable& state : inputs.hidden) require_shape("an initial state", state, states, type);
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

Variable recur_attentively(const AttentiveInputs& inputs, std::shared_ptr<const TimeSteps> steps) {
  check(inputs, *steps);
  Tape& tape = inputs.x.tape();
  const auto plan =
      std::make_shared<Plan>(Plan{.inputs = inputs, .steps = steps, .dropout_key = {}, .trace = {}});
  if (tape.training() && inputs.dropout > 0.0 && plan->layers() > 1) {
    plan->dropout_key = tape.next_key();
  } else {
    plan->inputs.dropout = 0.0;
  }
  plan->trace = allocate(inputs, steps->layout().tokens());
  with_type(inputs.x.type(), [&](auto zero) { forward<decltype(zero)>(*plan); });
  return tape.record(plan->trace.value, all_variables(inputs), [plan](const Tensor& gradient) {
    with_type(gradient.type(), [&](auto zero) { Backward<decltype(zero)>(*plan, gradient).run(); });
  });
}

}  // namespace heed
