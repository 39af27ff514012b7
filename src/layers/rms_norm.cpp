#include "heed/layers/rms_norm.h"

#include "heed/base/error.h"

namespace heed {

RmsNorm::RmsNorm(int64_t width, double epsilon) : epsilon_(epsilon) {
  require(width > 0, "RMS norm: a width of {}, but it must be positive", width);
  require(epsilon > 0, "RMS norm: an epsilon of {}, but it must be positive", epsilon);
  gain_ = Tensor::full({width}, 1.0);
}

Variable RmsNorm::operator()(const Variable& x) const {
  return rms_norm(x, x.tape().watch(gain_), epsilon_);
}

void RmsNorm::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit(dotted(prefix, "weight"), gain_);
}

}  // namespace heed
