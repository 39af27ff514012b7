#include "heed/autograd/binary_cross_entropy.h"

#include <cmath>

#include "heed/base/error.h"

namespace heed {

namespace {

void check_answers(const Variable& scores, std::span<const int32_t> answers,
                   const CrossEntropyOptions& options) {
  require(static_cast<int64_t>(answers.size()) == scores.value().elements(),
          "binary_cross_entropy: {} answers for {} scores", answers.size(),
          scores.value().elements());
  for (const int32_t answer : answers)
    require(answer == 0 || answer == 1,
            "binary_cross_entropy: an answer of {} but 0 or 1 was expected", answer);
  require(options.label_smoothing >= 0.0 && options.label_smoothing < 1.0,
          "binary_cross_entropy: a label smoothing of {} but 0 <= label smoothing < 1 was expected",
          options.label_smoothing);
  require(options.r_drop == 0, "binary_cross_entropy: R-Drop is not for answers of yes and no");
}

// log(1 + eˣ) - x y. The exponent is never positive, so nothing overflows.
double cost(double x, double y) {
  return std::log1p(std::exp(-std::abs(x))) + (x > 0 ? x * (1 - y) : -x * y);
}

double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

}  // namespace

Variable binary_cross_entropy(const Variable& scores, std::span<const int32_t> answers,
                              const CrossEntropyOptions& options) {
  check_answers(scores, answers, options);
  Tape& tape = scores.tape();
  const double smoothing = options.label_smoothing;
  Tensor gradient = tape.allocate(scores.shape(), scores.type());
  double loss = 0, likelihood = 0;
  with_type(scores.type(), [&](auto zero) {
    using T = decltype(zero);
    const std::span<const T> x = scores.value().span<T>();
    const std::span<T> dx = gradient.span<T>();
    for (size_t i = 0; i < x.size(); ++i) {
      const double smoothed = answers[i] * (1 - smoothing) + smoothing / 2;
      loss += cost(x[i], smoothed);
      likelihood += cost(x[i], answers[i]);
      dx[i] = static_cast<T>(sigmoid(x[i]) - smoothed);
    }
  });
  if (options.negative_likelihood != nullptr) *options.negative_likelihood += likelihood;
  Tensor sum = tape.allocate({}, scores.type());
  sum.fill(loss);
  return tape.record(sum, {scores},
                     [scores = scores.without_value(), gradient](const Tensor& dloss) {
                       Tensor scaled = scores.tape().allocate(gradient.shape(), gradient.type());
                       with_type(gradient.type(), [&](auto zero) {
                         using T = decltype(zero);
                         const std::span<const T> from = gradient.span<T>();
                         const std::span<T> to = scaled.span<T>();
                         const T factor = static_cast<T>(dloss[0]);
                         for (size_t i = 0; i < from.size(); ++i) to[i] = factor * from[i];
                       });
                       scores.add_gradient(scaled);
                     });
}

}  // namespace heed
