#include "heed/kernels/softmax.h"

#include "heed/kernels/reference/softmax.h"

namespace heed::kernels {

void softmax(std::span<const float> x, std::span<float> y, int64_t columns) {
  reference::softmax<float>(x, y, columns);
}

void softmax(std::span<const double> x, std::span<double> y, int64_t columns) {
  reference::softmax<double>(x, y, columns);
}

void softmax_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      int64_t columns) {
  reference::softmax_backward<float>(y, dy, dx, columns);
}

void softmax_backward(std::span<const double> y, std::span<const double> dy, std::span<double> dx,
                      int64_t columns) {
  reference::softmax_backward<double>(y, dy, dx, columns);
}

}  // namespace heed::kernels
