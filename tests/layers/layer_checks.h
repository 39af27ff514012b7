// Shared by the tests of layers.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "check_layer.h"
#include "joined.h"

namespace heed::testing {

// Checks the gradients of a layer of one input.
template <typename Layer>
GradientCheckResult check_layer(Layer& layer, const Tensor& x,
                                const GradientCheckOptions& options = {}) {
  return check_layer(
      layer, {x}, [&](Tape&, const std::vector<Variable>& inputs) { return layer(inputs[0]); },
      options);
}

}  // namespace heed::testing
