#include "heed/layers/prepared_weight.h"

#include "heed/base/error.h"

namespace heed {

PreparedWeight::PreparedWeight(const Tensor& weight, Precision precision)
    : inputs_(weight.shape()[1]), outputs_(weight.shape()[0]) {
  require(weight.type() == Type::float32, "weight of type {} but float32 was expected",
          name_of(weight.type()));
  const kernels::MatrixView<const float> columns = weight.matrix<float>().transposed();
  weights_ = precision == Precision::int8
                 ? std::make_shared<Weights>(kernels::Int8Weights(columns))
                 : std::make_shared<Weights>(kernels::PackedWeights(columns));
}

void PreparedWeight::multiply(kernels::MatrixView<const float> x, const Tensor& bias,
                              kernels::Activation activation, kernels::MatrixView<float> y) const {
  const std::span<const float> added =
      bias.present() ? bias.span<float>() : std::span<const float>();
  if (const auto* packed = std::get_if<kernels::PackedWeights>(weights_.get()))
    kernels::gemm_packed(x, *packed, y, {.bias = added, .activation = activation});
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
