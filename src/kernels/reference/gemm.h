// What the matrix products compute, element by element.
#pragma once

#include <cstdint>

#include "heed/kernels/gemm.h"
#include "heed/kernels/reference/activation.h"

namespace heed::reference {

template <typename T>
void gemm(kernels::MatrixView<const T> a, kernels::MatrixView<const T> b, kernels::MatrixView<T> c,
          const kernels::GemmOptions<T>& options) {
  for (int64_t row = 0; row < c.rows; ++row) {
    for (int64_t column = 0; column < c.columns; ++column) {
      T sum = options.accumulate ? c(row, column) : T(0);
      for (int64_t p = 0; p < a.columns; ++p) sum += a(row, p) * b(p, column);
      if (!options.bias.empty()) sum += options.bias[column];
      c(row, column) = activated(options.activation, sum);
    }
  }
}

}  // namespace heed::reference
