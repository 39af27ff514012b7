// Layer normalisation with its learned gain and bias.
#pragma once

#include <string_view>

#include "heed/autograd/normalisation.h"
#include "heed/layers/parameter.h"

namespace heed {

// (x - mean) / sqrt(variance + epsilon) * gain + bias over the last axis: (..., width) -> (...,
// width). The gain starts at one, the bias at zero.
class LayerNorm {
 public:
  explicit LayerNorm(int64_t width, double epsilon = 1e-5);

  Variable operator()(const Variable& x) const;
  // The gain is called weight, as in PyTorch; then bias.
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);

 private:
  Tensor gain_;
  Tensor bias_;
  double epsilon_;
};

}  // namespace heed
