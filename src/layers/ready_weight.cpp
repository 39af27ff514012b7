#include "heed/layers/ready_weight.h"

#include "heed/base/error.h"

namespace heed {

ReadyWeight::ReadyWeight(const Tensor& weight, Precision precision) {
  require(weight.present(), "a model that is ready to translate cannot be made ready again");
  require(weight.type() == Type::float32, "weight of type {} but float32 was expected",
          name_of(weight.type()));
  inputs_ = weight.shape()[1];
  outputs_ = weight.shape()[0];
  const kernels::MatrixView<const float> columns = weight.matrix<float>().transposed();
  weights_ = precision == Precision::int8
                 ? std::make_shared<Weights>(kernels::Int8Weights(columns))
                 : std::make_shared<Weights>(kernels::PackedWeights(columns));
}

void ReadyWeight::multiply(kernels::MatrixView<const float> x, const Tensor& bias,
                           kernels::Activation activation, kernels::MatrixView<float> y) const {
  const std::span<const float> added =
      bias.present() ? bias.span<float>() : std::span<const float>();
  if (const auto* packed = std::get_if<kernels::PackedWeights>(weights_.get()))
    kernels::gemm_packed(x, *packed, y, {.bias = added, .activation = activation});
  else
    kernels::gemm_int8(x, std::get<kernels::Int8Weights>(*weights_), y, added, activation);
}

Variable ReadyWeight::operator()(const Variable& x, const Tensor& bias,
                                 kernels::Activation activation) const {
  Tape& tape = x.tape();
  require(!tape.recording(), "a model that is ready to translate cannot learn any more");
  require(x.shape().columns() == inputs_, "linear: input {} does not fit {} inputs", x.shape(),
          inputs_);
  Tensor y = tape.allocate(x.shape().with_last(outputs_), Type::float32);
  multiply(x.value().matrix<float>(), bias, activation, y.matrix<float>());
  return tape.constant(y);
}

}  // namespace heed
