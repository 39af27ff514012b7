// The linear layer, with a fused activation.
#pragma once

#include <string_view>

#include "heed/autograd/linear.h"
#include "heed/base/random.h"
#include "heed/layers/parameter.h"
#include "heed/layers/ready_weight.h"

namespace heed {

struct LinearOptions {
  bool bias = true;
  Activation activation = Activation::identity;
};

// activation(x weightᵀ + bias): x (..., inputs) -> (..., outputs). The weight starts
// Xavier-uniform, the bias at zero.
class Linear {
 public:
  Linear(int64_t inputs, int64_t outputs, Rng& rng, LinearOptions options = {});

  Variable operator()(const Variable& x) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);  // weight, bias

  // Lays the weight out for computing without gradients and forgets what it was.
  void make_ready(Precision precision);

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }
  const Tensor& weight() const { return weight_; }  // absent once the layer is ready
  const Tensor& bias() const { return bias_; }

 private:
  int64_t inputs_, outputs_;
  Tensor weight_;  // (outputs, inputs)
  ReadyWeight ready_;
  Tensor bias_;  // (outputs), or absent
  Activation activation_;
};

}  // namespace heed
