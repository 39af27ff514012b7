// The linear layer, with an activation in the same pass.
#pragma once

#include <string_view>

#include "heed/autograd/linear.h"
#include "heed/base/random.h"
#include "heed/layers/parameter.h"

namespace heed {

struct LinearOptions {
  bool bias = true;
  Activation activation = Activation::identity;
};

// activation(x weightᵀ + bias): x (..., inputs) -> (..., outputs).
// The weight begins Xavier-uniform, the bias at zero.
class Linear {
 public:
  Linear(int64_t inputs, int64_t outputs, Rng& rng, LinearOptions options = {});

  Variable operator()(const Variable& x) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);  // weight, bias

  int64_t inputs() const { return weight_.shape()[1]; }
  int64_t outputs() const { return weight_.shape()[0]; }
  const Tensor& weight() const { return weight_; }
  const Tensor& bias() const { return bias_; }

 private:
  Tensor weight_;  // (outputs, inputs)
  Tensor bias_;    // (outputs), or absent
  Activation activation_;
};

}  // namespace heed
