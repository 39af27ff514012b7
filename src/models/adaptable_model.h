// What adapters need to know of a model: its linear layers, by name.
#pragma once

#include "heed/layers/linear.h"

namespace heed {

class AdaptableModel {
 public:
  virtual ~AdaptableModel() = default;

  // Those of attention and of feed-forward networks, in the order and under the names of their
  // parameters: "model.encoder.layers.0.self_attn.q_proj".
  virtual void visit_linears(const LinearVisitor& visit) = 0;
};

}  // namespace heed
