#include "heed/layers/linear.h"

#include "heed/base/error.h"
#include "heed/layers/initialisation.h"

namespace heed {

Linear::Linear(int64_t inputs, int64_t outputs, Rng& rng, LinearOptions options)
    : inputs_(inputs), outputs_(outputs), activation_(options.activation) {
  require(inputs > 0 && outputs > 0, "linear: {} inputs and {} outputs, but both must be positive",
          inputs, outputs);
  weight_ = xavier_uniform(outputs, inputs, rng);
  if (options.bias) bias_ = Tensor::zeros({outputs});
}

Variable Linear::operator()(const Variable& x) const {
  if (ready_.present()) return ready_(x, bias_, activation_);
  Tape& tape = x.tape();
  return linear(x, tape.watch(weight_), bias_.present() ? tape.watch(bias_) : Variable(),
                activation_);
}

void Linear::make_ready(Precision precision) {
  ready_ = ReadyWeight(weight_, precision);
  weight_ = {};
}

void Linear::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit(dotted(prefix, "weight"), weight_);
  if (bias_.present()) visit(dotted(prefix, "bias"), bias_);
}

}  // namespace heed
