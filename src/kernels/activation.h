// Element-wise functions. Spans of one call have the same size; `y` may be `x` itself.
// The float versions are vectorised; the double versions are the reference, for gradient checks.
#pragma once

#include <span>

#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

enum class Activation { identity, relu, tanh, sigmoid, gelu, swish };

void exp(std::span<const float> x, std::span<float> y);  // relative error at most 5e-7
void exp(std::span<const double> x, std::span<double> y);

// y = f(x). gelu(x) = x Φ(x) with the exact normal distribution; swish(x) = x sigmoid(x).
void activate(Activation kind, std::span<const float> x, std::span<float> y);
void activate(Activation kind, std::span<const double> x, std::span<double> y);

// x = f(x), for x with column stride 1.
void activate_rows(Activation kind, MatrixView<float> x);

// dx = dy f'(x). `dx` may be `dy` itself.
void activate_backward(Activation kind, std::span<const float> x, std::span<const float> dy,
                       std::span<float> dx);
void activate_backward(Activation kind, std::span<const double> x, std::span<const double> dy,
                       std::span<double> dx);

}  // namespace heed::kernels
