// Streamed attention for one head of one sequence: softmax(scores) values, forward and backward,
// without ever holding the (queries × keys) matrix. Memory grows with the length, not with its
// square.
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/random.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// How a query q and a key k give a score.
enum class ScoreForm {
  dot,       // scale q·k
  gaussian,  // -scale ‖q - k‖²
  additive,  // Σ_h vector[h] tanh(q[h] + k[h]), for queries and keys already projected to the same
             // width
};

// The keys [begin, end) that a query may see.
struct KeyRange {
  int64_t begin = 0;
  int64_t end = 0;
};

template <typename T>
struct AttentionHead {
  MatrixView<const T> queries;  // (queries, width)
  MatrixView<const T> keys;     // (keys, width)
  MatrixView<const T> values;   // (keys, value width)

  ScoreForm form = ScoreForm::dot;
  T scale = 1;
  std::span<const T> vector = {};  // (width), for the additive form

  // Everything below masks or shifts the scores; all conditions apply together.

  // One per query, within the keys, empty ranges allowed; none = all keys.
  std::span<const KeyRange> ranges = {};
  // (queries, keys), 0 = may not attend; any strides, also 0.
  MatrixView<const uint8_t> allowed = {};
  MatrixView<const T> bias = {};  // (queries, keys), added to the scores; any strides, also 0
  // Element (key - query + distance_origin) is added, clamped to the span.
  std::span<const T> distance_bias = {};
  int64_t distance_origin = 0;

  double dropout = 0.0;        // rate of dropped weights; the kept ones grow by 1 / (1 - dropout)
  RandomKey dropout_key = {};  // weight (i, j) uses position i * keys + j
};

// What the forward pass keeps of each query's softmax for the backward pass:
//   weight[i, j] = exp(score[i, j] - largest[i]) / sums[i].
// Both numbers, since their logarithm would carry the rounding of a large score into every weight.
// The unit of `largest` is internal to the two passes; a sum is 0 if there is no key.
template <typename T>
struct SoftmaxRows {
  std::span<T> largest;
  std::span<T> sums;
};

// output[i] = Σ_j weight[i, j] values[j], weight[i] = dropout(softmax over the keys that query i
// may see). A query without any key gets a zero output and zero weights. Where a score is not a
// number or too large for its type, so is the whole row of the output. `rows` is for the backward
// pass. `weights` (queries, keys) is optional: the weights that were used, after dropout.
void attention_forward(const AttentionHead<float>& head, MatrixView<float> output,
                       SoftmaxRows<float> rows, MatrixView<float> weights = {});
void attention_forward(const AttentionHead<double>& head, MatrixView<double> output,
                       SoftmaxRows<double> rows, MatrixView<double> weights = {});

// Where gradients are added. Absent views and empty spans are skipped.
template <typename T>
struct AttentionGradients {
  MatrixView<T> queries = {};
  MatrixView<T> keys = {};
  MatrixView<T> values = {};
  MatrixView<T> bias = {};  // (queries, keys); strides of 0 sum over that side
  std::span<T> distance_bias = {};
  std::span<T> vector = {};
  std::span<T> scale = {};  // one number: Σ ∂loss/∂score · score/scale
};

void attention_backward(const AttentionHead<float>& head, MatrixView<const float> output,
                        SoftmaxRows<const float> rows, MatrixView<const float> output_gradient,
                        const AttentionGradients<float>& gradients);
void attention_backward(const AttentionHead<double>& head, MatrixView<const double> output,
                        SoftmaxRows<const double> rows, MatrixView<const double> output_gradient,
                        const AttentionGradients<double>& gradients);

}  // namespace heed::kernels
