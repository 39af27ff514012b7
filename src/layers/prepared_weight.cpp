#include "heed/layers/prepared_weight.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/kernels/matrix_unit.h"

namespace heed {

PreparedWeight::PreparedWeight(const Tensor& weight, Preparation how)
    : inputs_(weight.shape()[1]), outputs_(weight.shape()[0]) {
  require(weight.type() == Type::float32, "weight of type {} but float32 was expected",
          name_of(weight.type()));
  const kernels::MatrixView<const float> columns = weight.matrix<float>().transposed();
  if (how.precision == Precision::int8) {
    common_ = kernels::common_scale(columns);
    weights_ = std::make_shared<Weights>(kernels::Int8Weights(columns, common_));
  } else if (how.rows == Rows::many && kernels::has_matrix_unit()) {
    weights_ = std::make_shared<Weights>(kernels::SplitWeights(columns));
  } else {
    weights_ = std::make_shared<Weights>(kernels::PackedWeights(columns));
  }
}

PreparedWeight::PreparedWeight(const Tensor& whole, std::span<const int32_t> rows,
                               const PreparedWeight& prepared)
    : inputs_(prepared.inputs_),
      outputs_(static_cast<int64_t>(rows.size())),
      common_(prepared.common_) {
  Tensor chosen = Tensor::uninitialised({outputs_, inputs_});
  for (int64_t i = 0; i < outputs_; ++i) {
    const int32_t row = rows[static_cast<size_t>(i)];
    require(row >= 0 && row < prepared.outputs_, "row {} of a weight with {}", row,
            prepared.outputs_);
    std::ranges::copy(whole.row<float>(row), chosen.row<float>(i).begin());
  }
  const kernels::MatrixView<const float> columns =
      std::as_const(chosen).matrix<float>().transposed();
  weights_ = std::holds_alternative<kernels::Int8Weights>(*prepared.weights_)
                 ? std::make_shared<Weights>(kernels::Int8Weights(columns, common_))
                 : std::make_shared<Weights>(kernels::PackedWeights(columns));
}

void PreparedWeight::multiply(kernels::MatrixView<const float> x, const Tensor& bias,
                              kernels::Activation activation, kernels::MatrixView<float> y) const {
  const std::span<const float> added =
      bias.present() ? bias.span<float>() : std::span<const float>();
  if (const auto* packed = std::get_if<kernels::PackedWeights>(weights_.get()))
    kernels::gemm_packed(x, *packed, y, {.bias = added, .activation = activation});
  else if (const auto* split = std::get_if<kernels::SplitWeights>(weights_.get()))
    kernels::split_gemm(x, *split, y, {.bias = added, .activation = activation});
  else
    kernels::gemm_int8(x, std::get<kernels::Int8Weights>(*weights_), y, added, activation);
}

Variable PreparedWeight::operator()(const Variable& x, const Tensor& bias,
                                    kernels::Activation activation) const {
  Tape& tape = x.tape();
  require(!tape.recording(), "linear: weights that are prepared for inference cannot learn");
  require(x.shape().columns() == inputs_, "linear: input {} does not fit {} inputs", x.shape(),
          inputs_);
  Tensor y = tape.allocate(x.shape().with_last(outputs_), Type::float32);
  multiply(x.value().matrix<float>(), bias, activation, y.matrix<float>());
  return tape.constant(y);
}

}  // namespace heed
