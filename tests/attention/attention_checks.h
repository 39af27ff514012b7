// What the tests of attention share: every kind of score with parameters, comparisons of tensors, and
// gradient checks that reach a layer's parameters.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "close.h"
#include "heed/attention/score.h"
#include "heed/autograd/gradient_check.h"
#include "heed/layers/parameter.h"
#include "heed/tensor/ragged.h"
#include "tensors.h"

namespace heed {

// GoogleTest finds it and shows sizes instead of bytes.
inline void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.text(); }

}  // namespace heed

namespace heed::testing {

inline constexpr std::array all_scores = {ScoreKind::dot,      ScoreKind::scaled_dot, ScoreKind::bilinear,
                                          ScoreKind::additive, ScoreKind::cosine,     ScoreKind::gaussian};

// A name that GoogleTest accepts.
inline std::string test_name(std::string_view name) {
  std::string result(name);
  std::ranges::replace(result, '-', '_');
  return result;
}

// Random parameters of a score, in the order of its members; none for the scores that learn nothing.
inline std::vector<Tensor> score_parameters(ScoreKind kind, int64_t query_depth, int64_t key_depth) {
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      return {};
    case ScoreKind::bilinear:
      return {random_tensor({query_depth, key_depth}, 101)};
    case ScoreKind::additive:
      return {random_tensor({5, query_depth}, 102), random_tensor({5, key_depth}, 103),
              random_tensor({5}, 104)};
    case ScoreKind::gaussian:
      return {Tensor::full({1}, 1.5)};
  }
  __builtin_unreachable();
}

inline Score make_score(ScoreKind kind, std::span<const Variable> parameters) {
  switch (kind) {
    case ScoreKind::dot:
      return Dot{};
    case ScoreKind::scaled_dot:
      return ScaledDot{};
    case ScoreKind::cosine:
      return Cosine{};
    case ScoreKind::bilinear:
      return Bilinear{parameters[0]};
    case ScoreKind::additive:
      return Additive{parameters[0], parameters[1], parameters[2]};
    case ScoreKind::gaussian:
      return Gaussian{parameters[0]};
  }
  __builtin_unreachable();
}

inline ::testing::AssertionResult close_tensors(const Tensor& actual, const Tensor& expected,
                                                double rtol = 1e-5, double atol = 1e-5) {
  if (actual.shape() != expected.shape())
    return ::testing::AssertionFailure()
           << "shapes " << actual.shape().text() << " and " << expected.shape().text();
  return close(values_of(actual), values_of(expected), rtol, atol);
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

}  // namespace heed::testing
