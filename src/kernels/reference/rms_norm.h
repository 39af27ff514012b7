// What the RMS norm kernels compute, row by row.
#pragma once

#include <cstddef>
#include <span>

#include "heed/kernels/reference/layer_norm.h"

namespace heed::reference {

template <typename T>
void rms_norm(std::span<const T> x, std::span<const T> gain, T epsilon, std::span<T> y,
              std::span<T> inverse_sizes) {
  const size_t width = gain.size();
  for (size_t row = 0; row < inverse_sizes.size(); ++row) {
    const std::span<const T> in = x.subspan(row * width, width);
    T square = 0;
    for (const T value : in) square += value * value;
    const T scale = inverse_deviation(square / static_cast<T>(width), epsilon);
    for (size_t c = 0; c < width; ++c) y[row * width + c] = in[c] * scale * gain[c];
    inverse_sizes[row] = scale;
  }
}

// With n = x / size and g = dy gain: dx = (g - n mean(g n)) / size.
template <typename T>
void rms_norm_backward(std::span<const T> x, std::span<const T> gain,
                       std::span<const T> inverse_sizes, std::span<const T> dy, std::span<T> dx,
                       std::span<T> dgain) {
  const size_t width = gain.size();
  for (size_t row = 0; row < inverse_sizes.size(); ++row) {
    const auto normalised = [&](size_t c) { return x[row * width + c] * inverse_sizes[row]; };
    T mean_gn = 0;
    for (size_t c = 0; c < width; ++c)
      mean_gn += dy[row * width + c] * gain[c] * normalised(c) / static_cast<T>(width);
    for (size_t c = 0; c < width; ++c) {
      const T upstream = dy[row * width + c];
      dgain[c] += upstream * normalised(c);
      dx[row * width + c] = (upstream * gain[c] - normalised(c) * mean_gn) * inverse_sizes[row];
    }
  }
}

}  // namespace heed::reference
