#include "heed/kernels/dropout.h"

#include "heed/kernels/reference/dropout.h"

namespace heed::kernels {

void dropout(std::span<const float> x, std::span<float> y, double rate, RandomKey key, uint32_t first) {
  reference::dropout<float>(x, y, rate, key, first);
}

void dropout(std::span<const double> x, std::span<double> y, double rate, RandomKey key, uint32_t first) {
  reference::dropout<double>(x, y, rate, key, first);
}

}  // namespace heed::kernels
