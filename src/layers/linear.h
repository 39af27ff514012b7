// The linear layer, with a fused activation.
#pragma once

#include <string_view>
#include <variant>

#include "heed/autograd/linear.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/parameter.h"
#include "heed/layers/prepared_weight.h"

namespace heed {

struct LinearOptions {
  bool bias = true;
  Activation activation = Activation::identity;
};

// activation(x weightᵀ + bias): x (..., inputs) -> (..., outputs). The weight starts
// Xavier-uniform, the bias at zero.
class Linear {
 public:
  Linear(int64_t inputs, int64_t outputs, Initialiser init, LinearOptions options = {});

  Variable operator()(const Variable& x) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);  // weight, bias

  // The same layer for computing without gradients: its weight is laid out for few rows. It shares
  // the bias, and has no weight to be visited.
  Linear prepared(Precision precision) const;

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }
  const Tensor& weight() const { return std::get<Tensor>(weight_); }  // of one that is not prepared
  const Tensor& bias() const { return bias_; }

 private:
  int64_t inputs_, outputs_;
  std::variant<Tensor, PreparedWeight> weight_;  // (outputs, inputs)
  Tensor bias_;                                  // (outputs), or absent
  Activation activation_;
};

}  // namespace heed
