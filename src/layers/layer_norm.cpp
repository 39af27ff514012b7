#include "heed/layers/layer_norm.h"

#include "heed/base/error.h"

namespace heed {

LayerNorm::LayerNorm(int64_t width, double epsilon) : epsilon_(epsilon) {
  require(width > 0, "layer norm: a width of {}, but it must be positive", width);
  require(epsilon > 0, "layer norm: an epsilon of {}, but it must be positive", epsilon);
  gain_ = Tensor::full({width}, 1.0);
  bias_ = Tensor::zeros({width});
}

Variable LayerNorm::operator()(const Variable& x) const {
  return layer_norm(x, x.tape().watch(gain_), x.tape().watch(bias_), epsilon_);
}

void LayerNorm::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit(dotted(prefix, "weight"), gain_);
  visit(dotted(prefix, "bias"), bias_);
}

}  // namespace heed
