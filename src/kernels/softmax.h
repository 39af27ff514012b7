// Softmax over the rows of a matrix.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// y[r, c] = exp(x[r, c]) / Σ_k exp(x[r, k]), for rows of `columns` elements; `y` may be `x` itself.
// An element of -infinity gives 0; a row of nothing but -infinity gives zeros, never NaN.
void softmax(std::span<const float> x, std::span<float> y, int64_t columns);
void softmax(std::span<const double> x, std::span<double> y, int64_t columns);

// dx[r, c] = y[r, c] (dy[r, c] - Σ_k y[r, k] dy[r, k]); `dx` may be `dy` itself.
void softmax_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      int64_t columns);
void softmax_backward(std::span<const double> y, std::span<const double> dy, std::span<double> dx,
                      int64_t columns);

}  // namespace heed::kernels
