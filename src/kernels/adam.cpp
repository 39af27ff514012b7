#include "heed/kernels/adam.h"

#include "heed/kernels/reference/adam.h"

namespace heed::kernels {

void adam_update(const AdamStep& step, std::span<const float> gradient, std::span<float> first,
                 std::span<float> second, std::span<float> parameter) {
  reference::adam_update<float>(step, gradient, first, second, parameter);
}

void adam_update(const AdamStep& step, std::span<const double> gradient, std::span<double> first,
                 std::span<double> second, std::span<double> parameter) {
  reference::adam_update<double>(step, gradient, first, second, parameter);
}

}  // namespace heed::kernels
