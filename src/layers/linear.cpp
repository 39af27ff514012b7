#include "heed/layers/linear.h"

#include "heed/autograd/adapted_linear.h"
#include "heed/base/error.h"

namespace heed {

Linear::Linear(int64_t inputs, int64_t outputs, Initialiser init, LinearOptions options)
    : inputs_(inputs), outputs_(outputs), activation_(options.activation) {
  require(inputs > 0 && outputs > 0, "linear: {} inputs and {} outputs, but both must be positive",
          inputs, outputs);
  weight_ = init.xavier_uniform(outputs, inputs);
  if (options.bias) bias_ = Tensor::zeros({outputs});
}

Variable Linear::operator()(const Variable& x) const {
  if (const auto* prepared = std::get_if<PreparedWeight>(&weight_))
    return (*prepared)(x, bias_, activation_);
  Tape& tape = x.tape();
  if (adapter_.present())
    return adapted_linear(x, tape.watch(weight()), bias_.present() ? tape.watch(bias_) : Variable(),
                          tape.watch(adapter_.down), tape.watch(adapter_.up), adapter_.scale,
                          activation_);
  return linear(x, tape.watch(weight()), bias_.present() ? tape.watch(bias_) : Variable(),
                activation_);
}

Linear Linear::prepared(Preparation how) const {
  Linear copy = *this;
  copy.weight_ = PreparedWeight(whole_weight(), how);
  copy.adapter_ = {};
  return copy;
}

void Linear::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  if (Tensor* weight = std::get_if<Tensor>(&weight_)) visit(dotted(prefix, "weight"), *weight);
  if (bias_.present()) visit(dotted(prefix, "bias"), bias_);
}

void Linear::visit_adapter(std::string_view prefix, const ParameterVisitor& visit) {
  if (!adapter_.present()) return;
  visit(dotted(prefix, "lora_A"), adapter_.down);
  visit(dotted(prefix, "lora_B"), adapter_.up);
}

}  // namespace heed
