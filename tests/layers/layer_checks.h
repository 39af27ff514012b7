// Shared by the tests of layers.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "check_layer.h"
#include "heed/autograd/layout.h"

namespace heed::testing {

// Several results as one, so that one gradient reaches them all: (1, elements of all).
inline Variable joined(const std::vector<Variable>& results) {
  std::vector<Variable> rows;
  for (const Variable& result : results)
    rows.push_back(reshape(result, {1, result.value().elements()}));
  return concatenate_columns(rows);
}

// Checks the gradients of a layer of one input.
template <typename Layer>
GradientCheckResult check_layer(Layer& layer, const Tensor& x,
                                const GradientCheckOptions& options = {}) {
  return check_layer(
      layer, {x}, [&](Tape&, const std::vector<Variable>& inputs) { return layer(inputs[0]); },
      options);
}

}  // namespace heed::testing
