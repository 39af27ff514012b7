// Matrix products. One family of register tiles, chosen for the CPU at run time, does them all:
// large products through cache-blocked panels, and products of few rows with weights that were
// packed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/kernels/activation.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

template <typename T>
struct GemmOptions {
  bool accumulate = false;                       // add to what c holds instead of overwriting it
  std::span<const T> bias = {};                  // added to each row of c; empty for none
  Activation activation = Activation::identity;  // applied last; not together with `accumulate`
};

// c = activation(a b + bias), or c += a b + bias. Any strides: pass `x.transposed()` for a
// transposed operand. a is (m, k), b is (k, n), c is (m, n) with column stride 1. Does not use
// other threads.
//
// Each element of c is one chain of multiply-adds from the first step of k to the last, which
// starts with 0, or with what c holds, and ends with the bias. It depends on its row of a and its
// column of b alone: not on the other rows and columns, nor on how many there are or how they are
// stored.
void gemm(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
          const GemmOptions<float>& options = {});
void gemm(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
          const GemmOptions<double>& options = {});

// Weights (k, n) laid out once for products with few rows, as decoding makes them: columns in
// slivers of up to three vectors, each sliver contiguous. How many floats a vector has depends on
// the CPU, so this is not a file format.
class PackedWeights {
 public:
  PackedWeights() = default;
  explicit PackedWeights(MatrixView<const float> weights);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t lanes() const { return lanes_; }  // floats per vector
  const float* data() const { return lines_.empty() ? nullptr : lines_.front().values; }

 private:
  struct alignas(64) CacheLine {
    float values[16];
  };

  int64_t rows_ = 0;
  int64_t columns_ = 0;
  int64_t lanes_ = 1;
  std::vector<CacheLine> lines_;
};

// c = activation(a weights + bias), or c += a weights + bias, for a of few rows (m, k): the same
// bits as `gemm` finds.
void gemm_packed(MatrixView<const float> a, const PackedWeights& weights, MatrixView<float> c,
                 const GemmOptions<float>& options = {});

}  // namespace heed::kernels
