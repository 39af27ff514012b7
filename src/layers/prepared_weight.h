// A weight laid out once for many products without gradients.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "heed/autograd/tape.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/int8_gemm.h"
#include "heed/kernels/split_gemm.h"

namespace heed {

// What models compute with when they translate: the weights as they were learnt, or integers of 8
// bits, which are faster and a quarter of the size.
enum class Precision { float32, int8 };

// What a weight is prepared for. One that meets whole texts is laid out for the matrix unit of the
// machine, if it has one; one that meets a few tokens at a time, as in decoding, is read as it is.
enum class Rows { few, many };

struct Preparation {
  Preparation(Precision as, Rows of = Rows::few) : precision(as), rows(of) {}

  Precision precision;
  Rows rows;
};

class PreparedWeight {
 public:
  PreparedWeight(const Tensor& weight, Preparation how);  // (outputs, inputs), float32
  // Some rows of a weight, as precise as in the whole of it.
  PreparedWeight(const Tensor& whole, std::span<const int32_t> rows,
                 const PreparedWeight& prepared);

  // y = activation(x weightᵀ + bias); the bias, (outputs), may be absent.
  void multiply(kernels::MatrixView<const float> x, const Tensor& bias,
                kernels::Activation activation, kernels::MatrixView<float> y) const;
  // The same on a tape that does not record: x (..., inputs) -> (..., outputs).
  Variable operator()(const Variable& x, const Tensor& bias,
                      kernels::Activation activation = kernels::Activation::identity) const;

 private:
  using Weights = std::variant<kernels::PackedWeights, kernels::SplitWeights, kernels::Int8Weights>;

  std::shared_ptr<const Weights> weights_;  // copies of a layer share them
  int64_t inputs_, outputs_;
  std::optional<kernels::Int8Scale> common_;  // of 8-bit weights that have one scale
};

}  // namespace heed
