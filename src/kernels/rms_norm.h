// Root-mean-square normalisation of the rows of a matrix of gain.size() columns.
#pragma once

#include <span>

namespace heed::kernels {

// y = x / sqrt(mean(x²) + epsilon) * gain, row by row. `inverse_sizes` receives one number per row,
// 1 / sqrt(mean(x²) + epsilon), which the backward pass needs.
void rms_norm(std::span<const float> x, std::span<const float> gain, float epsilon,
              std::span<float> y, std::span<float> inverse_sizes);
void rms_norm(std::span<const double> x, std::span<const double> gain, double epsilon,
              std::span<double> y, std::span<double> inverse_sizes);

// Writes dx and adds to dgain. `dx` may be `dy` itself.
void rms_norm_backward(std::span<const float> x, std::span<const float> gain,
                       std::span<const float> inverse_sizes, std::span<const float> dy,
                       std::span<float> dx, std::span<float> dgain);
void rms_norm_backward(std::span<const double> x, std::span<const double> gain,
                       std::span<const double> inverse_sizes, std::span<const double> dy,
                       std::span<double> dx, std::span<double> dgain);

}  // namespace heed::kernels
