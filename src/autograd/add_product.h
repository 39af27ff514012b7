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
  GradientRoom room = target.gradient_room();
  kernels::gemm(a, b, room.gradient.matrix<T>(), {.accumulate = !room.empty});
}

}  // namespace heed
