#include "heed/kernels/activation.h"

#include "heed/kernels/reference/activation.h"

namespace heed::kernels {

void exp(std::span<const float> x, std::span<float> y) { reference::exp<float>(x, y); }

void exp(std::span<const double> x, std::span<double> y) { reference::exp<double>(x, y); }

void activate(Activation kind, std::span<const float> x, std::span<float> y) {
  reference::activate<float>(kind, x, y);
}

void activate(Activation kind, std::span<const double> x, std::span<double> y) {
  reference::activate<double>(kind, x, y);
}

void activate_backward(Activation kind, std::span<const float> x, std::span<const float> dy,
                       std::span<float> dx) {
  reference::activate_backward<float>(kind, x, dy, dx);
}

void activate_backward(Activation kind, std::span<const double> x, std::span<const double> dy,
                       std::span<double> dx) {
  reference::activate_backward<double>(kind, x, dy, dx);
}

}  // namespace heed::kernels
