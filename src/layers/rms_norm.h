// Root-mean-square normalisation with its learned gain.
#pragma once

#include <string_view>

#include "heed/autograd/normalisation.h"
#include "heed/layers/parameter.h"

namespace heed {

// x / sqrt(mean(x²) + epsilon) * gain over the last axis: (..., width) -> (..., width). The gain
// starts at one.
class RmsNorm {
 public:
  explicit RmsNorm(int64_t width, double epsilon = 1e-5);

  Variable operator()(const Variable& x) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);  // weight

 private:
  Tensor gain_;
  double epsilon_;
};

}  // namespace heed
