#include "heed/layers/low_rank_adapter.h"

#include <cmath>
#include <utility>

#include "heed/kernels/gemm.h"

namespace heed {

LowRankAdapter new_adapter(int64_t inputs, int64_t outputs, int64_t rank, double scale,
                           Initialiser init) {
  const double bound = std::sqrt(3.0 / static_cast<double>(inputs));  // a variance of 1 / inputs
  return {init.uniform({rank, inputs}, bound), Tensor::zeros({outputs, rank}), scale};
}

Tensor merged(const Tensor& weight, const LowRankAdapter& adapter) {
  Tensor sum = weight.clone(), up = adapter.up.clone();
  with_type(weight.type(), [&](auto zero) {
    using T = decltype(zero);
    for (T& number : up.span<T>()) number *= static_cast<T>(adapter.scale);
    kernels::gemm(std::as_const(up).matrix<T>(), adapter.down.matrix<T>(), sum.matrix<T>(),
                  {.accumulate = true});
  });
  return sum;
}

}  // namespace heed
