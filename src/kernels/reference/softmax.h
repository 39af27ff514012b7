// What the softmax kernels compute, row by row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace heed::reference {

template <typename T>
void softmax_row(std::span<const T> x, std::span<T> y) {
  // Softmax ignores a constant shift; subtracting the row's maximum keeps exp from overflowing. A
  // row of nothing but -infinity must not be shifted by it: it would read -infinity + infinity.
  const T highest = *std::max_element(x.begin(), x.end());
  const T shift = highest == -std::numeric_limits<T>::infinity() ? T(0) : highest;
  T sum = 0;
  for (size_t c = 0; c < x.size(); ++c) sum += y[c] = std::exp(x[c] - shift);
  if (sum == T(0)) return;
  for (T& weight : y) weight /= sum;
}

template <typename T>
void softmax(std::span<const T> x, std::span<T> y, int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  for (size_t first = 0; first < x.size(); first += width)
    softmax_row(x.subspan(first, width), y.subspan(first, width));
}

template <typename T>
void softmax_backward(std::span<const T> y, std::span<const T> dy, std::span<T> dx,
                      int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  for (size_t first = 0; first < y.size(); first += width) {
    T mean = 0;
    for (size_t i = first; i < first + width; ++i) mean += y[i] * dy[i];
    for (size_t i = first; i < first + width; ++i) dx[i] = y[i] * (dy[i] - mean);
  }
}

}  // namespace heed::reference
