// The feed-forward network (FFN) of a Transformer layer: each token by itself, through a wider
// space and back.
#pragma once

#include <optional>
#include <string_view>

#include "heed/layers/dropout.h"
#include "heed/layers/linear.h"

namespace heed {

struct FeedForwardConfig {
  int64_t width = 512;
  int64_t hidden = 2048;
  Activation activation = Activation::relu;
  bool gated = false;
  bool bias = true;
  double dropout = 0.0;  // of the hidden elements
};

// fc2(dropout(activation(fc1 x))), or gated: fc2(dropout(activation(fc1 x) * fc3 x)).
// (..., width) -> (..., width).
class FeedForward {
 public:
  FeedForward(const FeedForwardConfig& config, Initialiser init);

  Variable operator()(const Variable& x) const;
  void visit_parameters(std::string_view prefix,
                        const ParameterVisitor& visit);  // of fc1, fc2, fc3
  void visit_linears(std::string_view prefix, const LinearVisitor& visit);
  FeedForward prepared(Preparation how) const;  // see Linear

 private:
  Linear inner_;
  Linear outer_;
  std::optional<Linear> gate_;
  Dropout dropout_;
};

}  // namespace heed
