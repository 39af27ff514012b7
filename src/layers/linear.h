// The linear layer, with a fused activation.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "heed/autograd/linear.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/low_rank_adapter.h"
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

  // From now on, computes with an adapter beside the weight, which is not one of the parameters
  // above. Its matrices are visited as lora_A (down) and lora_B (up).
  void adapt(LowRankAdapter adapter) { adapter_ = std::move(adapter); }
  void visit_adapter(std::string_view prefix, const ParameterVisitor& visit);

  // The same layer for computing without gradients: its weight, with what an adapter adds, is laid
  // out for few rows or many. It shares the bias, and has no weight to be visited.
  Linear prepared(Preparation how) const;

  int64_t inputs() const { return inputs_; }
  int64_t outputs() const { return outputs_; }
  const Tensor& weight() const { return std::get<Tensor>(weight_); }  // of one that is not prepared
  // The same, with what an adapter adds.
  Tensor whole_weight() const { return adapter_.present() ? merged(weight(), adapter_) : weight(); }
  const Tensor& bias() const { return bias_; }

 private:
  int64_t inputs_, outputs_;
  std::variant<Tensor, PreparedWeight> weight_;  // (outputs, inputs)
  Tensor bias_;                                  // (outputs), or absent
  Activation activation_;
  LowRankAdapter adapter_;  // or absent
};

using LinearVisitor = std::function<void(const std::string& name, Linear& layer)>;

}  // namespace heed
