// Attention by one query in plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heed/kernels/query_attention.h"
#include "heed/kernels/reference/softmax.h"

namespace heed::reference {

template <typename T>
T query_score(const kernels::QueryAttention<T>& attention, int64_t key) {
  T sum = 0;
  for (size_t h = 0; h < attention.query.size(); ++h) {
    const T q = attention.query[h], k = attention.keys(key, static_cast<int64_t>(h));
    sum +=
        attention.vector.empty() ? attention.scale * q * k : attention.vector[h] * std::tanh(q + k);
  }
  return sum;
}

template <typename T>
void attend_query(const kernels::QueryAttention<T>& attention, std::span<T> weights,
                  std::span<T> output) {
  const int64_t keys = attention.keys.rows;
  std::ranges::fill(output, T(0));
  if (keys == 0) return;
  for (int64_t j = 0; j < keys; ++j) weights[j] = query_score(attention, j);
  softmax<T>(weights, weights, keys);
  for (int64_t j = 0; j < keys; ++j)
    for (size_t d = 0; d < output.size(); ++d)
      output[d] += weights[j] * attention.values(j, static_cast<int64_t>(d));
}

template <typename T>
void attend_query_backward(const kernels::QueryAttention<T>& attention, std::span<const T> weights,
                           std::span<const T> output, std::span<const T> output_gradient,
                           const kernels::QueryAttentionGradients<T>& gradients) {
  for (int64_t j = 0; j < attention.keys.rows; ++j) {
    const T weight = weights[j];
    T d_score = 0;
    for (size_t d = 0; d < output.size(); ++d) {
      const int64_t column = static_cast<int64_t>(d);
      d_score += weight * output_gradient[d] * (attention.values(j, column) - output[d]);
      gradients.values(j, column) += weight * output_gradient[d];
    }
    for (size_t h = 0; h < attention.query.size(); ++h) {
      const int64_t column = static_cast<int64_t>(h);
      const T q = attention.query[h], k = attention.keys(j, column);
      if (attention.vector.empty()) {
        gradients.query[h] += d_score * attention.scale * k;
        gradients.keys(j, column) += d_score * attention.scale * q;
      } else {
        const T t = std::tanh(q + k);
        const T d_sum = d_score * attention.vector[h] * (T(1) - t * t);
        gradients.query[h] += d_sum;
        gradients.keys(j, column) += d_sum;
        gradients.vector[h] += d_score * t;
      }
    }
  }
}

}  // namespace heed::reference
