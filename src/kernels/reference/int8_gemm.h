// What the products with weights of 8 bits compute, element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "heed/kernels/int8_gemm.h"
#include "heed/kernels/reference/activation.h"

namespace heed::reference {

struct QuantisedColumn {
  std::vector<int> integers;
  float scale;
};

// To 17 significant bits: times an integer of 7 bits, it is still exact.
inline float rounded_down(float number) {
  int exponent = 0;
  const float digits = std::frexp(number, &exponent);
  return std::ldexp(std::floor(std::ldexp(digits, 17)), exponent - 17);
}

inline QuantisedColumn quantised_column(kernels::MatrixView<const float> weights, int64_t column) {
  float largest = 0;
  for (int64_t r = 0; r < weights.rows; ++r)
    largest = std::max(largest, std::abs(weights(r, column)));
  const float step = rounded_down(largest / 127.0f),
              scale = step < kernels::Int8Scale::smallest_range / 127.0f ? 0.0f : step,
              inverse = scale == 0.0f ? 0.0f : 1.0f / scale;
  QuantisedColumn result{{}, scale};
  for (int64_t r = 0; r < weights.rows; ++r)
    result.integers.push_back(static_cast<int>(std::nearbyint(weights(r, column) * inverse)));
  return result;
}

struct QuantisedRow {
  std::vector<int> integers;
  kernels::Int8Row row;
};

inline QuantisedRow quantised_row(kernels::MatrixView<const float> a, int64_t row) {
  const auto [low, high] = std::minmax_element(a.row(row), a.row(row) + a.columns);
  const float range = *high - *low, largest = kernels::largest_row_integer(),
              inverse = range > kernels::Int8Scale::smallest_range ? largest / range : 0.0f;
  QuantisedRow result{{}, {*low, range / largest}};
  for (int64_t c = 0; c < a.columns; ++c)
    result.integers.push_back(static_cast<int>(std::nearbyint((a(row, c) - *low) * inverse)));
  return result;
}

inline void gemm_int8(kernels::MatrixView<const float> a, kernels::MatrixView<const float> weights,
                      kernels::MatrixView<float> c, std::span<const float> bias,
                      kernels::Activation activation) {
  for (int64_t column = 0; column < c.columns; ++column) {
    const QuantisedColumn w = quantised_column(weights, column);
    for (int64_t row = 0; row < c.rows; ++row) {
      const QuantisedRow x = quantised_row(a, row);
      double products = 0, sum = 0;
      for (size_t i = 0; i < w.integers.size(); ++i) {
        products += x.integers[i] * w.integers[i];
        sum += w.integers[i];
      }
      const double value = w.scale * (x.row.scale * products + x.row.low * sum) +
                           (bias.empty() ? 0.0 : static_cast<double>(bias[column]));
      c(row, column) = static_cast<float>(activated(activation, value));
    }
  }
}

}  // namespace heed::reference
