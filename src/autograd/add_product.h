// For the backward half of ops: the gradient of a matrix that was multiplied is itself a product.
#pragma once

#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"

namespace heed {

// Adds a b to the gradient of a variable, if it needs one.
template <typename T>
void add_product(const Variable& target, kernels::MatrixView<const T> a,
                 kernels::MatrixView<const T> b) {
  if (!target.needs_gradient()) return;
  GradientBuffer buffer = target.gradient_buffer();
  kernels::gemm(a, b, buffer.gradient.matrix<T>(), {.accumulate = !buffer.empty});
}

}  // namespace heed
