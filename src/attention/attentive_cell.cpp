#include "heed/attention/attentive_cell.h"

#include "heed/kernels/dropout.h"
#include "heed/kernels/recurrent.h"

namespace heed {

using kernels::MatrixView;

template <typename T>
AttentiveCell<T>::AttentiveCell(const AttentiveWeights& weights, int64_t context_width)
    : weights_(weights) {
  const auto transposed = [](const Tensor& weight) { return weight.matrix<T>().transposed(); };
  if (weights.query_weight.present()) query_ = for_steps(transposed(weights.query_weight));
  const MatrixView<const T> lowest = transposed(weights.layers.front().input_weight);
  context_ = for_steps(lowest.block(0, 0, context_width, lowest.columns));
  for (size_t layer = 0; layer < weights.layers.size(); ++layer) {
    if (layer > 0) inputs_.push_back(for_steps(transposed(weights.layers[layer].input_weight)));
    hidden_.push_back(for_steps(transposed(weights.layers[layer].hidden_weight)));
  }
}

template <typename T>
void AttentiveCell<T>::step(const AttentiveSource<T>& source, const StepRows<T>& rows) const {
  if (source.keys.present()) attend(source, rows);
  multiply(rows.contexts, context_, rows.layers.front().gates, {.accumulate = true});
  for (size_t layer = 0; layer < rows.layers.size(); ++layer) {
    if (layer > 0) read_input(layer, rows);
    step_layer(layer, rows.layers[layer]);
  }
}

template <typename T>
void AttentiveCell<T>::attend(const AttentiveSource<T>& source, const StepRows<T>& rows) const {
  MatrixView<const T> queries = rows.layers.back().previous;
  if (weights_.query_weight.present()) {
    multiply(queries, query_, rows.queries);
    queries = rows.queries;
  }
  for (int64_t row = 0; row < queries.rows; ++row) {
    const int64_t sentence = rows.sentences[static_cast<size_t>(row)];
    kernels::attend_query(
        query_attention(weights_, source, sentence, row_of(queries, row)),
        row_of(rows.weights, row).first(static_cast<size_t>(source.layout.length(sentence))),
        row_of(rows.contexts, row));
  }
}

template <typename T>
void AttentiveCell<T>::read_input(size_t layer, const StepRows<T>& rows) const {
  const MatrixView<T> below = rows.layers[layer - 1].states, input = rows.layers[layer].input;
  const RandomKey key = derive_key(rows.dropout_key, layer);
  for (int64_t row = 0; row < below.rows; ++row)
    kernels::dropout(row_of(MatrixView<const T>(below), row), row_of(input, row), rows.dropout, key,
                     static_cast<uint32_t>((rows.first_row + row) * input.columns));
  multiply(input, inputs_[layer - 1], rows.layers[layer].gates,
           {.bias = weights_.layers[layer].input_bias.template span<T>()});
}

template <typename T>
void AttentiveCell<T>::step_layer(size_t layer, const LayerRows<T>& rows) const {
  multiply(rows.previous, hidden_[layer], rows.hidden_gates,
           {.bias = weights_.layers[layer].hidden_bias.template span<T>()});
  for (int64_t row = 0; row < rows.previous.rows; ++row) {
    switch (weights_.kind) {
      case RecurrentKind::gru:
        kernels::gru_step(
            kernels::GruStep<T>{.previous = row_of(rows.previous, row),
                                .hidden_gates = row_of(MatrixView<const T>(rows.hidden_gates), row),
                                .gates = row_of(rows.gates, row),
                                .state = row_of(rows.states, row)});
        break;
      case RecurrentKind::lstm:
        kernels::lstm_step(kernels::LstmStep<T>{.previous_cell = row_of(rows.previous_cells, row),
                                                .hidden_gates = row_of(rows.hidden_gates, row),
                                                .gates = row_of(rows.gates, row),
                                                .cell = row_of(rows.cells, row),
                                                .state = row_of(rows.states, row)});
        break;
    }
  }
}

template <typename T>
kernels::QueryAttention<T> query_attention(const AttentiveWeights& weights,
                                           const AttentiveSource<T>& source, int64_t sentence,
                                           std::span<const T> query) {
  const int64_t begin = source.layout.begin(sentence), length = source.layout.length(sentence);
  kernels::QueryAttention<T> result{
      .query = query,
      .keys = source.keys.block(begin, 0, length, source.keys.columns),
      .values = source.values.block(begin, 0, length, source.values.columns),
      .scale = static_cast<T>(weights.score_scale)};
  if (weights.score_vector.present()) result.vector = weights.score_vector.span<T>();
  return result;
}

template class AttentiveCell<float>;
template class AttentiveCell<double>;
template kernels::QueryAttention<float> query_attention(const AttentiveWeights&,
                                                        const AttentiveSource<float>&, int64_t,
                                                        std::span<const float>);
template kernels::QueryAttention<double> query_attention(const AttentiveWeights&,
                                                         const AttentiveSource<double>&, int64_t,
                                                         std::span<const double>);

}  // namespace heed
