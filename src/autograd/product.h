// The products of ops, forwards and backwards.
#pragma once

#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/split_gemm.h"

namespace heed {

// c = activation(a b + bias), or c += a b + bias. Where gradients will be needed, on the matrix
// unit of the machine, if it has one; otherwise with the same bits as prepared weights give.
template <typename T>
void multiply(bool for_gradients, kernels::MatrixView<const T> a, kernels::MatrixView<const T> b,
              kernels::MatrixView<T> c, const kernels::GemmOptions<T>& options = {}) {
  if (for_gradients)
    kernels::split_gemm(a, b, c, options);
  else
    kernels::gemm(a, b, c, options);
}

// Adds a b to the gradient of a variable, if it needs one: the gradient of a matrix that was
// multiplied is itself a product.
template <typename T>
void add_product(const Variable& target, kernels::MatrixView<const T> a,
                 kernels::MatrixView<const T> b) {
  if (!target.needs_gradient()) return;
  GradientBuffer buffer = target.gradient_buffer();
  kernels::split_gemm(a, b, buffer.gradient.matrix<T>(), {.accumulate = !buffer.empty});
}

}  // namespace heed
