// Attention for a single query, as in decoding. The streamed kernel vectorises over queries and
// would leave most lanes empty here; this one vectorises over the width.
#pragma once

#include <span>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// score[j] = scale query·keys[j], or, if there is a vector, Σ_h vector[h] tanh(query[h] + keys[j,
// h]).
template <typename T>
struct QueryAttention {
  std::span<const T> query;     // (width)
  MatrixView<const T> keys;     // (keys, width), column stride 1
  MatrixView<const T> values;   // (keys, value width), column stride 1
  T scale = 1;                  // of the score without a vector
  std::span<const T> vector{};  // (width), or empty
};

// weights = softmax(score); output = Σ_j weights[j] values[j]. Without any key the output is zeros.
void attend_query(const QueryAttention<float>& attention, std::span<float> weights,
                  std::span<float> output);
void attend_query(const QueryAttention<double>& attention, std::span<double> weights,
                  std::span<double> output);

// Attention of several heads, side by side in every row, over rows anywhere in memory.
struct RowAttention {
  std::span<const float> query;               // (heads × width)
  std::span<const float*const> keys, values;  // of each token, each (KV heads × width)
  int64_t heads = 1;
  int64_t kv_heads = 1;           // each is shared by as many heads as there are more of these
  float scale = 1;                // of the scores
  std::span<const float> bias{};  // (heads × tokens), added to the scores; or empty

  size_t width() const { return query.size() / static_cast<size_t>(heads); }
  // Where the keys and values of a head begin in their rows.
  size_t offset(size_t head) const {
    return head / static_cast<size_t>(heads / kv_heads) * width();
  }
};

// weights (heads × tokens) and output (heads × width), as attend_query finds them for each head.
// There is at least one token.
void attend_rows(const RowAttention& attention, std::span<float> weights, std::span<float> output);

// Where the gradients are added.
template <typename T>
struct QueryAttentionGradients {
  std::span<T> query;
  MatrixView<T> keys;
  MatrixView<T> values;
  std::span<T> vector{};  // empty where there is no vector
};

// `weights` and `output` are what the forward pass found.
void attend_query_backward(const QueryAttention<float>& attention, std::span<const float> weights,
                           std::span<const float> output, std::span<const float> output_gradient,
                           const QueryAttentionGradients<float>& gradients);
void attend_query_backward(const QueryAttention<double>& attention, std::span<const double> weights,
                           std::span<const double> output, std::span<const double> output_gradient,
                           const QueryAttentionGradients<double>& gradients);

}  // namespace heed::kernels
