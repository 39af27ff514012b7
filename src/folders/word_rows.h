// Tables with a row for each word, brought from the order of another tool into heed's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

// A bias so low that the word is never proposed: its probability is 0. Every type of number has
// room for it, and the mean over all words that label smoothing takes hardly feels it.
inline constexpr float never = -1e3f;

// The rows of a table, or the numbers of a list, in another order; missing ones get one value.
inline Tensor select_rows(const Tensor& table, std::span<const int64_t> rows, double missing) {
  const int64_t width = table.shape().rank() == 1 ? 1 : table.shape()[1];
  Tensor result = Tensor::full({static_cast<int64_t>(rows.size()), width}, missing);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    std::copy_n(table.data<float>() + rows[i] * width, width,
                result.data<float>() + static_cast<int64_t>(i) * width);
  }
  return result;
}

// Whether the last row is, which is that of the start.
inline bool has_zero_start(const Tensor& table) {
  return std::ranges::all_of(table.row<float>(table.shape()[0] - 1),
                             [](float value) { return value == 0; });
}

inline bool same_numbers(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::ranges::equal(a.span<float>(), b.span<float>());
}

}  // namespace heed
