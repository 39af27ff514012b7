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
Tensor weights_of(const Shape& shape) {
  Tensor weights = Tensor::uninitialised(shape, Type::float64);
  Rng rng(42);
  for (double& weight : weights.span<double>())
    weight = (rng.word() & 1 ? 1.0 : -1.0) * rng.uniform(0.5, 1.5);
  return weights;
}

// One tape for all the values: a new one for each would spend its time allocating memory.
class Probe {
 public:
  Probe(const Run& run, const TapeOptions& options)
      : run_(run), seed_(options.seed), tape_({.record = false, .training = options.training}) {}

  double value(const std::vector<Tensor>& inputs) {
    tape_.clear(seed_);
    const Variable result = run_(tape_, watch_all(tape_, inputs));
    const Tensor weights = weights_of(result.shape());
    const auto values = result.value().span<double>();
    return std::inner_product(values.begin(), values.end(), weights.span<double>().begin(), 0.0);
  }

 private:
  const Run& run_;
  uint64_t seed_;
  Tape tape_;
};

}  // namespace

GradientCheckResult check_gradients(const std::vector<Tensor>& inputs, const Run& run,
                                    const GradientCheckOptions& options) {
  std::vector<Tensor> moved;
  for (const Tensor& input : inputs) moved.push_back(input.to(Type::float64));

  Tape tape(options.tape);
  const std::vector<Variable> variables = watch_all(tape, moved);
  const Variable result = run(tape, variables);
  require(result.type() == Type::float64, "check_gradients: the result has type {}",
          name_of(result.type()));
  tape.backward(result, weights_of(result.shape()));

  Probe probe(run, options.tape);
  for (size_t i = 0; i < moved.size(); ++i) {
    const Tensor reported = variables[i].gradient();
    for (int64_t e = 0; e < moved[i].elements(); ++e) {
      double& element = moved[i].data<double>()[e];
      const double original = element;
      element = original + options.epsilon;
      const double above = probe.value(moved);
      element = original - options.epsilon;
      const double below = probe.value(moved);
      element = original;
      const double measured = (above - below) / (2 * options.epsilon);
      // Infinity would be within any relative tolerance.
      if (!std::isfinite(measured) ||
          !(std::abs(reported[e] - measured) <= options.atol + options.rtol * std::abs(measured)))
        return {false,
                fmt::format("input {}, element {} of {}: the op reports {} but {} was measured", i,
                            e, moved[i].shape(), reported[e], measured)};
    }
  }
  return {};
}

}  // namespace heed
