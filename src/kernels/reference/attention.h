// Attention in plain loops: what the fast kernel must compute.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "heed/kernels/attention.h"
#include "heed/kernels/dropout.h"

namespace heed::reference {

using kernels::AttentionGradients;
using kernels::AttentionHead;
using kernels::MatrixView;
using kernels::ScoreForm;
using kernels::SoftmaxRows;

// The score of a pair before anything shifts it.
template <typename T>
T pair_score(const AttentionHead<T>& head, int64_t query, int64_t key) {
  T sum = 0;
  for (int64_t h = 0; h < head.queries.columns; ++h) {
    const T q = head.queries(query, h);
    const T k = head.keys(key, h);
    switch (head.form) {
      case ScoreForm::dot:
        sum += head.scale * q * k;
        break;
      case ScoreForm::gaussian:
        sum -= head.scale * (q - k) * (q - k);
        break;
      case ScoreForm::additive:
        sum += head.vector[h] * std::tanh(q + k);
        break;
    }
  }
  return sum;
}

template <typename T>
size_t distance_index(const AttentionHead<T>& head, int64_t query, int64_t key) {
  const int64_t last = static_cast<int64_t>(head.distance_bias.size()) - 1;
  return static_cast<size_t>(std::clamp<int64_t>(key - query + head.distance_origin, 0, last));
}

template <typename T>
bool may_attend(const AttentionHead<T>& head, int64_t query, int64_t key) {
  if (!head.ranges.empty()) {
    const kernels::KeyRange range = head.ranges[query];
    if (key < range.begin || key >= range.end) return false;
  }
  return !head.allowed.present() || head.allowed(query, key) != 0;
}

// The score that enters the softmax; -infinity where the query may not attend.
template <typename T>
T shifted_score(const AttentionHead<T>& head, int64_t query, int64_t key) {
  if (!may_attend(head, query, key)) return -std::numeric_limits<T>::infinity();
  T score = pair_score(head, query, key);
  if (head.bias.present()) score += head.bias(query, key);
  if (!head.distance_bias.empty()) score += head.distance_bias[distance_index(head, query, key)];
  return score;
}

// By how much dropout multiplies the weight of a pair: 0, or 1 / (1 - rate).
template <typename T>
T dropout_factor(const AttentionHead<T>& head, int64_t query, int64_t key) {
  const auto position = static_cast<uint32_t>(query * head.keys.rows + key);
  if (!kernels::dropout_keeps(head.dropout_key, position, kernels::dropout_threshold(head.dropout)))
    return 0;
  return static_cast<T>(1.0 / (1.0 - head.dropout));
}

template <typename T>
void attention_forward(const AttentionHead<T>& head, MatrixView<T> output, SoftmaxRows<T> rows,
                       MatrixView<T> weights = {}) {
  const T nothing = -std::numeric_limits<T>::infinity();
  std::vector<T> scores(static_cast<size_t>(head.keys.rows));
  for (int64_t i = 0; i < head.queries.rows; ++i) {
    T largest = nothing;
    for (int64_t j = 0; j < head.keys.rows; ++j) {
      scores[j] = shifted_score(head, i, j);
      largest = std::max(largest, scores[j]);
    }
    // Softmax ignores a constant shift; subtracting the largest score keeps exp from overflowing.
    T sum = 0;
    for (const T score : scores)
      if (score != nothing) sum += std::exp(score - largest);
    rows.largest[i] = largest;
    rows.sums[i] = sum;

    for (int64_t c = 0; c < head.values.columns; ++c) output(i, c) = 0;
    for (int64_t j = 0; j < head.keys.rows; ++j) {
      const T score = scores[j];
      if (weights.present()) weights(i, j) = 0;
      // The value of a key that is not seen must not count at all: it may be NaN, which a weight of
      // 0 would let through.
      if (score == nothing) continue;
      const T weight = dropout_factor(head, i, j) * std::exp(score - largest) / sum;
      for (int64_t c = 0; c < head.values.columns; ++c) output(i, c) += weight * head.values(j, c);
      if (weights.present()) weights(i, j) = weight;
    }
  }
}

// Adds the gradients that follow from d loss / d score(query, key) alone.
template <typename T>
void add_pair_gradients(const AttentionHead<T>& head, int64_t query, int64_t key, T gradient,
                        const AttentionGradients<T>& gradients) {
  for (int64_t h = 0; h < head.queries.columns; ++h) {
    const T q = head.queries(query, h);
    const T k = head.keys(key, h);
    T to_query = 0, to_key = 0, to_scale = 0, to_vector = 0;
    switch (head.form) {
      case ScoreForm::dot:
        to_query = head.scale * k;
        to_key = head.scale * q;
        to_scale = q * k;
        break;
      case ScoreForm::gaussian:
        to_query = -2 * head.scale * (q - k);
        to_key = 2 * head.scale * (q - k);
        to_scale = -(q - k) * (q - k);
        break;
      case ScoreForm::additive: {
        const T t = std::tanh(q + k);
        to_query = to_key = head.vector[h] * (1 - t * t);
        to_vector = t;
        break;
      }
    }
    if (gradients.queries.present()) gradients.queries(query, h) += gradient * to_query;
    if (gradients.keys.present()) gradients.keys(key, h) += gradient * to_key;
    if (!gradients.scale.empty()) gradients.scale[0] += gradient * to_scale;
    if (!gradients.vector.empty()) gradients.vector[h] += gradient * to_vector;
  }
  if (gradients.bias.present()) gradients.bias(query, key) += gradient;
  if (!gradients.distance_bias.empty())
    gradients.distance_bias[distance_index(head, query, key)] += gradient;
}

template <typename T>
void attention_backward(const AttentionHead<T>& head, MatrixView<const T> output,
                        SoftmaxRows<const T> rows, MatrixView<const T> output_gradient,
                        const AttentionGradients<T>& gradients) {
  for (int64_t i = 0; i < head.queries.rows; ++i) {
    // Σ_j weight(i, j) d loss / d weight(i, j), which is the same as this product.
    T mean = 0;
    const auto row = static_cast<size_t>(i);
    for (int64_t c = 0; c < head.values.columns; ++c) mean += output(i, c) * output_gradient(i, c);
    for (int64_t j = 0; j < head.keys.rows; ++j) {
      const T score = shifted_score(head, i, j);
      if (score == -std::numeric_limits<T>::infinity()) continue;
      const T probability = std::exp(score - rows.largest[row]) / rows.sums[row];
      const T factor = dropout_factor(head, i, j);
      T to_weight = 0;
      for (int64_t c = 0; c < head.values.columns; ++c) {
        to_weight += output_gradient(i, c) * head.values(j, c);
        if (gradients.values.present())
          gradients.values(j, c) += probability * factor * output_gradient(i, c);
      }
      add_pair_gradients(head, i, j, probability * (factor * to_weight - mean), gradients);
    }
  }
}

}  // namespace heed::reference
