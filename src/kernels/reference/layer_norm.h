// What the layer norm kernels compute, row by row.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace heed::reference {

// What overflows must be seen: a row whose squares leave the range of T has no deviation, and one
// divided by infinity would make zeros of it.
template <typename T>
T inverse_deviation(T variance, T epsilon) {
  return std::isinf(variance) ? std::numeric_limits<T>::quiet_NaN()
                              : T(1) / std::sqrt(variance + epsilon);
}

template <typename T>
void layer_norm(std::span<const T> x, std::span<const T> gain, std::span<const T> bias, T epsilon,
                std::span<T> y, std::span<T> means, std::span<T> inverse_deviations) {
  const size_t width = gain.size();
  for (size_t row = 0; row < means.size(); ++row) {
    const std::span<const T> in = x.subspan(row * width, width);
    T mean = 0;
    for (const T value : in) mean += value;
    mean /= static_cast<T>(width);
    T variance = 0;
    for (const T value : in) variance += (value - mean) * (value - mean);
    variance /= static_cast<T>(width);
    const T scale = inverse_deviation(variance, epsilon);
    for (size_t c = 0; c < width; ++c)
      y[row * width + c] = (in[c] - mean) * scale * gain[c] + bias[c];
    means[row] = mean;
    inverse_deviations[row] = scale;
  }
}

// With n = (x - mean) / deviation and g = dy gain: dx = (g - mean(g) - n mean(g n)) / deviation.
template <typename T>
void layer_norm_backward(std::span<const T> x, std::span<const T> gain, std::span<const T> means,
                         std::span<const T> inverse_deviations, std::span<const T> dy,
                         std::span<T> dx, std::span<T> dgain, std::span<T> dbias) {
  const size_t width = gain.size();
  for (size_t row = 0; row < means.size(); ++row) {
    const auto normalised = [&](size_t c) {
      return (x[row * width + c] - means[row]) * inverse_deviations[row];
    };
    T mean_g = 0, mean_gn = 0;
    for (size_t c = 0; c < width; ++c) {
      const T g = dy[row * width + c] * gain[c];
      mean_g += g / static_cast<T>(width);
      mean_gn += g * normalised(c) / static_cast<T>(width);
    }
    for (size_t c = 0; c < width; ++c) {
      const T upstream = dy[row * width + c];
      dgain[c] += upstream * normalised(c);
      dbias[c] += upstream;
      dx[row * width + c] =
          (upstream * gain[c] - mean_g - normalised(c) * mean_gn) * inverse_deviations[row];
    }
  }
}

}  // namespace heed::reference
