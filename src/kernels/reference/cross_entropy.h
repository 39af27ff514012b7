// What the cross-entropy kernels compute, row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "heed/kernels/cross_entropy.h"

namespace heed::reference {

template <typename T>
void scores_to_exponentials(std::span<T> block, std::span<T> shifts,
                            std::span<kernels::ScoreRow> rows) {
  const size_t width = block.size() / rows.size();
  for (size_t r = 0; r < rows.size(); ++r) {
    const std::span<T> row = block.subspan(r * width, width);
    shifts[r] = static_cast<T>(rows[r].shift_for(*std::ranges::max_element(row)));
    double sum = 0, total = 0;
    for (T& score : row) {
      total += score;
      score = std::exp(score - shifts[r]);
      sum += score;
    }
    rows[r].add_block(shifts[r], sum, total);
  }
}

template <typename T>
void exponentials_to_gradients(std::span<const T> block, std::span<const T> factors, T spread,
                               std::span<T> gradients) {
  const size_t width = block.size() / factors.size();
  for (size_t i = 0; i < block.size(); ++i) gradients[i] = block[i] * factors[i / width] - spread;
}

}  // namespace heed::reference
