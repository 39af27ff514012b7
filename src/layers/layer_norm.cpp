#include "heed/layers/layer_norm.h"

#include "heed/base/error.h"

namespace heed {

LayerNorm::LayerNorm(int64_t depth, double epsilon) : epsilon_(epsilon) {
  require(depth > 0, "layer norm: a depth of {}, but it must be positive", depth);
  require(epsilon > 0, "layer norm: an epsilon of {}, but it must be positive", epsilon);
  gain_ = Tensor::full({depth}, 1.0);
  bias_ = Tensor::zeros({depth});
}

Variable LayerNorm::operator()(const Variable& x) const {
  return layer_norm(x, x.tape().watch(gain_), x.tape().watch(bias_), epsilon_);
}

void LayerNorm::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit(dotted(prefix, "weight"), gain_);
  visit(dotted(prefix, "bias"), bias_);
}

}  // namespace heed
