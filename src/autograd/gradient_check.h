// Compares the gradients of ops with finite differences.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

struct GradientCheckOptions {
  double epsilon = 1e-6;  // step of the finite differences, to each side
  double atol = 1e-5;
  double rtol = 1e-3;
  TapeOptions tape = {};  // e.g. training with a seed, to check dropout
};

struct GradientCheckResult {
  bool passed = true;
  std::string complaint;  // the first element that differs: input, index, reported and measured
};

// `run` computes any variable from the inputs; it is called many times and must be deterministic.
// Inputs are converted to float64. The result is reduced to one number by fixed random weights, so
// that every element of it matters.
GradientCheckResult check_gradients(
    const std::vector<Tensor>& inputs,
    const std::function<Variable(Tape&, const std::vector<Variable>&)>& run,
    const GradientCheckOptions& options = {});

}  // namespace heed
