// Matrix products on a unit that multiplies bfloat16 (matrix_unit.h), as exact as those of floats.
// A float is the sum of three bfloat16, of 8 bits each; of the nine products of the parts of two
// floats, the six largest are added up in float: what is left out is less than the last bit.
//
// The unit multiplies 16 times as many bfloat16 as the vector units multiply floats, so that six
// products for one still save time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heed/kernels/gemm.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// c = activation(a b + bias), or c += a b + bias: as `gemm`, but on the matrix unit where there is
// one and it pays, which the sizes decide. There, the last bits differ from those of `gemm`, and
// what is infinite becomes NaN.
void split_gemm(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                const GemmOptions<float>& options = {});
void split_gemm(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                const GemmOptions<double>& options = {});

// Weights (k, n) that were split once, on a machine with a matrix unit. Not a file format.
class SplitWeights {
 public:
  explicit SplitWeights(MatrixView<const float> weights);

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const std::byte* data() const { return lines_.empty() ? nullptr : lines_.front().bytes; }

 private:
  struct alignas(64) CacheLine {
    std::byte bytes[64];
  };

  int64_t rows_, columns_;
  std::vector<CacheLine> lines_;
};

// As `split_gemm` on the unit, whatever the sizes are: a row of c depends on its row of a alone,
// not on how many there are.
void split_gemm(MatrixView<const float> a, const SplitWeights& weights, MatrixView<float> c,
                const GemmOptions<float>& options = {});

}  // namespace heed::kernels
