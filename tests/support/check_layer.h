// Gradient checks that reach a layer's parameters.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "close_tensors.h"
#include "heed/autograd/gradient_check.h"
#include "heed/layers/parameter.h"
#include "tensors.h"

namespace heed::testing {

// Checks the gradients of the inputs and of every parameter. Leaves the layer with parameters in
// float64.
template <typename Layer>
GradientCheckResult check_layer(
    Layer& layer, const std::vector<Tensor>& inputs,
    const std::function<Variable(Tape&, const std::vector<Variable>&)>& run,
    const GradientCheckOptions& options = {}) {
  std::vector<Tensor> all = inputs;
  for (const Parameter& parameter : parameters_of(layer)) all.push_back(parameter.value);
  return check_gradients(
      all,
      [&](Tape& tape, const std::vector<Variable>& variables) {
        size_t next = inputs.size();
        layer.visit_parameters(
            {}, [&](const std::string&, Tensor& value) { value = variables[next++].value(); });
        return run(tape,
                   {variables.begin(), variables.begin() + static_cast<ptrdiff_t>(inputs.size())});
      },
      options);
}

}  // namespace heed::testing
