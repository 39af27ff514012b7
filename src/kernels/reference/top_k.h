// What the top-k kernel computes, row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "heed/kernels/reference/log_sum_exp.h"

namespace heed::reference {

template <typename T>
void log_softmax_top_k(std::span<const T> x, int64_t columns, int64_t k, std::span<int32_t> best,
                       std::span<T> log_probabilities) {
  const size_t width = static_cast<size_t>(columns);
  std::vector<int32_t> order(width);
  for (size_t row = 0; row < x.size() / width; ++row) {
    const std::span<const T> scores = x.subspan(row * width, width);
    const T normaliser = log_sum_exp(scores);
    std::iota(order.begin(), order.end(), 0);
    const auto higher = [&](int32_t a, int32_t b) { return scores[a] > scores[b]; };
    if (!std::isnan(normaliser)) std::stable_sort(order.begin(), order.end(), higher);
    for (size_t i = 0; i < static_cast<size_t>(k); ++i) {
      best[row * static_cast<size_t>(k) + i] = order[i];
      log_probabilities[row * static_cast<size_t>(k) + i] = scores[order[i]] - normaliser;
    }
  }
}

}  // namespace heed::reference
