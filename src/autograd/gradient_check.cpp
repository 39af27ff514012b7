#include "heed/autograd/gradient_check.h"

#include <cmath>
#include <numeric>

#include "heed/base/error.h"

namespace heed {

namespace {

using Run = std::function<Variable(Tape&, const std::vector<Variable>&)>;

std::vector<Variable> watch_all(Tape& tape, const std::vector<Tensor>& inputs) {
  std::vector<Variable> variables;
  for (const Tensor& input : inputs) variables.push_back(tape.watch(input));
  return variables;
}

// The direction in which the result is read: different for every element, never zero.
Tensor probe(const Shape& shape) {
  Tensor weights = Tensor::uninitialised(shape, Type::float64);
  Rng rng(42);
  for (double& weight : weights.span<double>())
    weight = (rng.word() & 1 ? 1.0 : -1.0) * rng.uniform(0.5, 1.5);
  return weights;
}

double probed_value(const std::vector<Tensor>& inputs, const Run& run, TapeOptions options) {
  options.record = false;
  Tape tape(options);
  const Variable result = run(tape, watch_all(tape, inputs));
  const Tensor weights = probe(result.shape());
  const auto values = result.value().span<double>();
  return std::inner_product(values.begin(), values.end(), weights.span<double>().begin(), 0.0);
}

}  // namespace

GradientCheckResult check_gradients(const std::vector<Tensor>& inputs, const Run& run,
                                    const GradientCheckOptions& options) {
  std::vector<Tensor> moved;
  for (const Tensor& input : inputs) moved.push_back(input.to(Type::float64));

  Tape tape(options.tape);
  const std::vector<Variable> variables = watch_all(tape, moved);
  const Variable result = run(tape, variables);
  require(result.type() == Type::float64, "check_gradients: the result has type {}", name_of(result.type()));
  tape.backward(result, probe(result.shape()));

  for (size_t i = 0; i < moved.size(); ++i) {
    const Tensor reported = variables[i].gradient();
    for (int64_t e = 0; e < moved[i].elements(); ++e) {
      double& element = moved[i].data<double>()[e];
      const double original = element;
      element = original + options.epsilon;
      const double above = probed_value(moved, run, options.tape);
      element = original - options.epsilon;
      const double below = probed_value(moved, run, options.tape);
      element = original;
      const double measured = (above - below) / (2 * options.epsilon);
      // Infinity would be within a relative tolerance of itself.
      if (!std::isfinite(measured) ||
          !(std::abs(reported[e] - measured) <= options.atol + options.rtol * std::abs(measured)))
        return {false, fmt::format("input {}, element {} of {}: the op reports {} but {} was measured", i, e,
                                   moved[i].shape(), reported[e], measured)};
    }
  }
  return {};
}

}  // namespace heed
