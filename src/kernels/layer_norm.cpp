#include "heed/kernels/layer_norm.h"

#include "heed/kernels/reference/layer_norm.h"

namespace heed::kernels {

void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> y, std::span<float> means,
                std::span<float> inverse_deviations) {
  reference::layer_norm<float>(x, gain, bias, epsilon, y, means, inverse_deviations);
}

void layer_norm(std::span<const double> x, std::span<const double> gain, std::span<const double> bias,
                double epsilon, std::span<double> y, std::span<double> means,
                std::span<double> inverse_deviations) {
  reference::layer_norm<double>(x, gain, bias, epsilon, y, means, inverse_deviations);
}

void layer_norm_backward(std::span<const float> x, std::span<const float> gain, std::span<const float> means,
                         std::span<const float> inverse_deviations, std::span<const float> dy,
                         std::span<float> dx, std::span<float> dgain, std::span<float> dbias) {
  reference::layer_norm_backward<float>(x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

void layer_norm_backward(std::span<const double> x, std::span<const double> gain,
                         std::span<const double> means, std::span<const double> inverse_deviations,
                         std::span<const double> dy, std::span<double> dx, std::span<double> dgain,
                         std::span<double> dbias) {
  reference::layer_norm_backward<double>(x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

}  // namespace heed::kernels
