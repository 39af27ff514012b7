// One time step of a recurrent decoder with attention. The top layer's state before the step is the
// query; the resulting context enters the lowest layer together with the step's input. Training and
// decoding use the same step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/recurrence.h"
#include "heed/autograd/step_product.h"
#include "heed/base/random.h"
#include "heed/kernels/query_attention.h"
#include "heed/tensor/ragged.h"

namespace heed {

// The parameters of the decoder.
struct AttentiveWeights {
  RecurrentKind kind = RecurrentKind::gru;
  std::vector<RecurrentWeights> layers;  // the lowest reads (context, input), in this order
  Tensor query_weight = {};  // (score width, hidden); absent: the state itself is the query
  Tensor score_vector = {};  // (score width), of the additive score; absent for dot scores
  double score_scale = 1.0;  // of dot scores

  int64_t hidden() const { return layers.front().hidden_weight.shape()[1]; }
};

// What is attended to: the source sentences end to end.
template <typename T>
struct AttentiveSource {
  kernels::MatrixView<const T> keys;    // (source tokens, score width); absent without attention
  kernels::MatrixView<const T> values;  // (source tokens, context width)
  Ragged layout;
};

// One layer's part in a step: a row for each sequence that is still running.
template <typename T>
struct LayerRows {
  kernels::MatrixView<const T> previous;        // (rows, hidden)
  kernels::MatrixView<const T> previous_cells;  // the same, of an LSTM
  // The input of the layer, (rows, hidden): written, except that the lowest layer's input is in its
  // gates.
  kernels::MatrixView<T> input;
  // Left as the kernels' backward passes need them. The lowest layer's gates start with the input's
  // part: its product with the right columns of the weight, plus the bias.
  kernels::MatrixView<T> gates, hidden_gates;
  kernels::MatrixView<T> states;  // (rows, hidden): written
  kernels::MatrixView<T> cells;   // the same, of an LSTM
};

template <typename T>
struct StepRows {
  std::vector<LayerRows<T>> layers;
  std::vector<int64_t> sentences;  // the source sentence of each row
  // (rows, score width): written, unless the state itself is the query.
  kernels::MatrixView<T> queries;
  kernels::MatrixView<T> weights;   // (rows, longest source): written as far as each sentence goes
  kernels::MatrixView<T> contexts;  // (rows, context width): written, or given without attention
  double dropout = 0.0;             // between the layers
  RandomKey dropout_key = {};
  int64_t first_row = 0;  // of the rows among all that share the key
};

// The weights packed once for many steps. Shares the biases and the score's vector with `weights`.
template <typename T>
class AttentiveCell {
 public:
  AttentiveCell(const AttentiveWeights& weights, int64_t context_width);

  void step(const AttentiveSource<T>& source, const StepRows<T>& rows) const;

 private:
  void attend(const AttentiveSource<T>& source, const StepRows<T>& rows) const;
  void read_input(size_t layer, const StepRows<T>& rows) const;
  void step_layer(size_t layer, const LayerRows<T>& rows) const;

  AttentiveWeights weights_;
  StepWeights<T> query_;
  StepWeights<T> context_;
  std::vector<StepWeights<T>> inputs_;  // of the layers above the lowest
  std::vector<StepWeights<T>> hidden_;
};

extern template class AttentiveCell<float>;
extern template class AttentiveCell<double>;

// A row of a matrix with contiguous columns.
template <typename T>
std::span<T> row_of(kernels::MatrixView<T> rows, int64_t index) {
  return {rows.row(index), static_cast<size_t>(rows.columns)};
}

// One source sentence as `query` sees it.
template <typename T>
kernels::QueryAttention<T> query_attention(const AttentiveWeights& weights,
                                           const AttentiveSource<T>& source, int64_t sentence,
                                           std::span<const T> query);

}  // namespace heed
