// What the tests of layers share: random tensors, and gradient checks that reach a layer's parameters.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "close.h"
#include "heed/autograd/gradient_check.h"
#include "heed/autograd/layout.h"
#include "heed/base/random.h"
#include "heed/layers/parameter.h"

namespace heed::testing {

inline Tensor random_tensor(const Shape& shape, uint64_t seed, Type type = Type::float32) {
  Rng rng(seed);
  Tensor x = Tensor::uninitialised(shape);
  for (float& element : x.span<float>()) element = static_cast<float>(rng.normal());
  return x.to(type);
}

inline std::vector<double> numbers(const Tensor& x) {
  const Tensor exact = x.to(Type::float64);
  return {exact.span<double>().begin(), exact.span<double>().end()};
}

inline ::testing::AssertionResult close_tensors(const Tensor& actual, const Tensor& expected, double rtol,
                                                double atol) {
  if (actual.shape() != expected.shape())
    return ::testing::AssertionFailure()
           << "shapes " << actual.shape().text() << " and " << expected.shape().text();
  return close(numbers(actual), numbers(expected), rtol, atol);
}

// Several results as one, so that one gradient reaches them all: (1, elements of all).
inline Variable joined(const std::vector<Variable>& results) {
  std::vector<Variable> rows;
  for (const Variable& result : results) rows.push_back(reshape(result, {1, result.value().elements()}));
  return concatenate_columns(rows);
}

// Checks the gradients of the inputs and of every parameter. Leaves the layer with parameters in float64.
template <typename Layer>
GradientCheckResult check_layer(Layer& layer, const std::vector<Tensor>& inputs,
                                const std::function<Variable(Tape&, const std::vector<Variable>&)>& run,
                                const GradientCheckOptions& options = {}) {
  std::vector<Tensor> all = inputs;
  for (const Parameter& parameter : parameters_of(layer)) all.push_back(parameter.value);
  return check_gradients(
      all,
      [&](Tape& tape, const std::vector<Variable>& variables) {
        size_t next = inputs.size();
        layer.visit_parameters({},
                               [&](const std::string&, Tensor& value) { value = variables[next++].value(); });
        return run(tape, {variables.begin(), variables.begin() + static_cast<ptrdiff_t>(inputs.size())});
      },
      options);
}

// The same for a layer of one input.
template <typename Layer>
GradientCheckResult check_layer(Layer& layer, const Tensor& x, const GradientCheckOptions& options = {}) {
  return check_layer(
      layer, {x}, [&](Tape&, const std::vector<Variable>& inputs) { return layer(inputs[0]); }, options);
}

}  // namespace heed::testing
