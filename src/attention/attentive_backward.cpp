// The backward pass of recur_attentively.
#include "heed/attention/attentive_plan.h"
#include "heed/autograd/product.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/recurrent.h"

namespace heed::attentive {

namespace {

// Walks the steps backwards. Holds a reference: lives no longer than the call that creates it.
template <typename T>
class Backward {
 public:
  Backward(const Plan& plan, const Tensor& gradient)
      : plan_(plan),
        d_states_(gradient.matrix<T>().block(0, 0, gradient.shape()[0], plan.hidden())),
        d_contexts_(
            plan.tape().allocate({gradient.shape()[0], plan.context_width()}, type_of<T>())),
        d_keys_(sink(plan.inputs.keys)),
        d_values_(sink(plan.inputs.values)) {
    const AttentiveWeights& weights = plan.inputs.weights;
    copy_rows<T>(
        gradient.matrix<T>().block(0, plan.hidden(), gradient.shape()[0], plan.context_width()),
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
    if (plan.layers() > 1)
      d_input_ = plan.tape().allocate({sequences, plan.hidden()}, type_of<T>());
  }

  void run() {
    for (int64_t step = plan_.steps->steps() - 1; step >= 0; --step) {
      const StepRows<T> rows = rows_of<T>(plan_, step);
      add_rows(plan_.of_step(d_states_, step), running(d_hidden_.back(), step));
      for (size_t layer = plan_.layers(); layer-- > 0;) step_layer(layer, step, rows);
      attend(step, rows);
    }
    for (size_t layer = 0; layer < plan_.layers(); ++layer) add_layer_gradients(layer);
    add_score_gradients();
    if (plan_.context_gradient) keep_context_gradient();
  }

 private:
  static Tensor sink(const Variable& variable) {
    return variable.needs_gradient()
               ? variable.gradient_to_add_to()
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
    // In an LSTM, the hidden state passes through a step only by way of the gates; in a GRU, also
    // directly.
    multiply(own.hidden_gates, hidden_[layer], d_hidden, {.accumulate = !plan_.lstm()});
    if (layer == 0) return;
    const MatrixView<T> d_input = running(d_input_, step);
    multiply(own.gates, input_[layer - 1], d_input);
    const RandomKey key = derive_key(rows.dropout_key, layer);
    for (int64_t row = 0; row < d_input.rows; ++row)
      kernels::dropout(row_of(MatrixView<const T>(d_input), row), row_of(d_input, row),
                       rows.dropout, key,
                       static_cast<uint32_t>((rows.first_row + row) * d_input.columns));
    add_rows<T>(d_input, running(d_hidden_[layer - 1], step));
  }

  void step_row(const LayerRows<T>& own, int64_t row, MatrixView<T> d_hidden,
                MatrixView<T> d_cells) {
    switch (plan_.inputs.weights.kind) {
      case RecurrentKind::gru:
        kernels::gru_step_backward(
            kernels::GruStepGradient<T>{.previous = row_of(own.previous, row),
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

  // From the contexts to keys, values and, through the query, the top layer's states before the
  // step.
  void attend(int64_t step, const StepRows<T>& rows) {
    const AttentiveSource<T> source = plan_.source<T>();
    const MatrixView<T> d_contexts = plan_.of_step<T>(d_contexts_, step);
    multiply(rows.layers.front().gates, context_, d_contexts, {.accumulate = true});
    const MatrixView<T> d_states = running(d_hidden_.back(), step);
    const MatrixView<T> d_queries =
        plan_.projects_query() ? plan_.of_step<T>(d_queries_, step) : d_states;
    const MatrixView<const T> queries =
        plan_.projects_query() ? MatrixView<const T>(rows.queries) : rows.layers.back().previous;
    for (int64_t row = 0; row < d_contexts.rows; ++row) {
      const int64_t sentence = rows.sentences[static_cast<size_t>(row)];
      const size_t keys = static_cast<size_t>(source.layout.length(sentence));
      kernels::attend_query_backward(
          query_attention(plan_.inputs.weights, source, sentence, row_of(queries, row)),
          row_of(MatrixView<const T>(rows.weights), row).first(keys),
          row_of(MatrixView<const T>(rows.contexts), row),
          row_of(MatrixView<const T>(d_contexts), row),
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

  // Products postponed to the end: one over all steps instead of one for each.
  void add_layer_gradients(size_t layer) {
    const LayerTrace& trace = plan_.trace.layers[layer];
    const RecurrentWeights& weights = plan_.inputs.weights.layers[layer];
    add_weight_gradient(weights.hidden_weight, trace.hidden_gates, trace.previous);
    add_sum(weights.hidden_bias, trace.hidden_gates);
    add_sum(weights.input_bias, trace.gates);
    if (layer > 0) {
      add_weight_gradient(weights.input_weight, trace.gates, trace.input);
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
      kernels::gemm(gates.transposed(), x.value().matrix<T>(),
                    input_columns(plan_, d_weight.matrix<T>()), {.accumulate = true});
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
      add_weight_gradient(plan_.inputs.weights.query_weight, d_queries_,
                          plan_.trace.layers.back().previous);
  }

  void keep_context_gradient() {
    Tensor kept = plan_.tape().allocate(d_contexts_.shape(), type_of<T>());
    copy_to_sentences<T>(*plan_.steps, d_contexts_.matrix<T>(), kept.matrix<T>());
    *plan_.context_gradient = kept;
  }

  // gradientᵀ factor, to the gradient of a weight.
  void add_weight_gradient(const Tensor& weight, const Tensor& gradient, const Tensor& factor) {
    add_product<T>(plan_.tape().watch(weight), gradient.matrix<T>().transposed(),
                   factor.matrix<T>());
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
  MatrixView<const T> d_states_;
  Tensor d_contexts_, d_queries_, d_keys_, d_values_, d_vector_;
  // The gradients of each layer's states, by rank, on their way from the last step to the first.
  std::vector<Tensor> d_hidden_, d_cells_;
  Tensor d_input_;
  StepWeights<T> query_, context_;
  std::vector<StepWeights<T>> input_, hidden_;  // `input_` of the layers above the lowest
};

}  // namespace

template <typename T>
void backward(const Plan& plan, const Tensor& gradient) {
  Backward<T>(plan, gradient).run();
}

template void backward<float>(const Plan&, const Tensor&);
template void backward<double>(const Plan&, const Tensor&);

}  // namespace heed::attentive
