// Products with the weights of a recurrent network, packed once for all time steps. Doubles, which
// are only for checks, have no packed product.
#pragma once

#include <type_traits>

#include "heed/kernels/gemm.h"

namespace heed {

template <typename T>
using StepWeights = std::conditional_t<std::is_same_v<T, float>, kernels::PackedWeights,
                                       kernels::MatrixView<const double>>;

inline StepWeights<float> for_steps(kernels::MatrixView<const float> weights) {
  return kernels::PackedWeights(weights);
}
inline StepWeights<double> for_steps(kernels::MatrixView<const double> weights) { return weights; }

// c = a b or c += a b, with what GemmOptions add to it.
inline void multiply(kernels::MatrixView<const float> a, const StepWeights<float>& b,
                     kernels::MatrixView<float> c,
                     const kernels::GemmOptions<float>& options = {}) {
  kernels::gemm_packed(a, b, c, options);
}
inline void multiply(kernels::MatrixView<const double> a, const StepWeights<double>& b,
                     kernels::MatrixView<double> c,
                     const kernels::GemmOptions<double>& options = {}) {
  kernels::gemm(a, b, c, options);
}

}  // namespace heed
