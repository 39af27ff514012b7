// Layer normalisation of the rows of a matrix of gain.size() columns.
#pragma once

#include <span>

namespace heed::kernels {

// y = (x - mean) / sqrt(variance + epsilon) * gain + bias, with each row's own mean and (biased)
// variance. `means` and `inverse_deviations` receive one number per row, which the backward pass
// needs.
void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> y, std::span<float> means,
                std::span<float> inverse_deviations);
void layer_norm(std::span<const double> x, std::span<const double> gain,
                std::span<const double> bias, double epsilon, std::span<double> y,
                std::span<double> means, std::span<double> inverse_deviations);

// Writes dx and adds to dgain and dbias. `dx` may be `dy` itself.
void layer_norm_backward(std::span<const float> x, std::span<const float> gain,
                         std::span<const float> means, std::span<const float> inverse_deviations,
                         std::span<const float> dy, std::span<float> dx, std::span<float> dgain,
                         std::span<float> dbias);
void layer_norm_backward(std::span<const double> x, std::span<const double> gain,
                         std::span<const double> means, std::span<const double> inverse_deviations,
                         std::span<const double> dy, std::span<double> dx, std::span<double> dgain,
                         std::span<double> dbias);

}  // namespace heed::kernels
