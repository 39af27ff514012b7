#include "heed/autograd/cross_entropy.h"

#include <algorithm>

#include "heed/autograd/add_product.h"
#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/cross_entropy.h"
#include "heed/kernels/gemm.h"

namespace heed {

namespace {

void check_targets(std::span<const int32_t> targets, int64_t tokens, int64_t vocabulary,
                   const CrossEntropyOptions& options) {
  require(static_cast<int64_t>(targets.size()) == tokens, "cross_entropy: {} targets for {} tokens",
          targets.size(), tokens);
  for (const int32_t target : targets)
    require(target >= 0 && target < vocabulary, "cross_entropy: target {} is not in a vocabulary of {}",
            target, vocabulary);
  require(options.smoothing >= 0.0 && options.smoothing < 1.0,
          "cross_entropy: a smoothing of {} but 0 <= smoothing < 1 was expected", options.smoothing);
}

Tensor one_number(Tape& tape, const kernels::CrossEntropySums& sums, Type type,
                  const CrossEntropyOptions& options) {
  if (options.negative_likelihood != nullptr) *options.negative_likelihood += sums.negative_likelihood;
  Tensor loss = tape.allocate({}, type);
  loss.fill(sums.loss);
  return loss;
}

Tensor scaled(Tape& tape, const Tensor& x, double factor) {
  if (factor == 1.0) return x;
  Tensor y = tape.allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::scale(static_cast<T>(factor), x.span<T>(), y.span<T>());
  });
  return y;
}

// How many tokens at a time: the fewer, the nearer their scores stay; but every time the whole weight passes
// by.
constexpr int64_t chunk = 256;

// The gradients with respect to x, the scores (tokens, vocabulary) and the bias, found together with the
// loss.
struct Gradients {
  Tensor x;
  Tensor scores;
  Tensor bias;  // absent if there is none
};

struct Inputs {
  Tensor x, weight, bias;  // the bias may be absent
  std::span<const int32_t> targets;
  double smoothing;
};

// Without gradients, all chunks share the memory of one.
template <typename T>
kernels::CrossEntropySums loss_in_chunks(Tape& tape, const Inputs& in, Gradients* gradients) {
  const int64_t tokens = in.x.shape()[0], vocabulary = in.weight.shape()[0];
  kernels::GemmOptions<T> options;
  if (in.bias.present()) options.bias = in.bias.span<T>();
  const Tensor room = gradients != nullptr
                          ? gradients->scores
                          : tape.allocate({std::min(chunk, tokens), vocabulary}, in.x.type());
  kernels::CrossEntropySums sums;
  for (int64_t first = 0; first < tokens; first += chunk) {
    const int64_t rows = std::min(chunk, tokens - first);
    const auto targets = in.targets.subspan(static_cast<size_t>(first), static_cast<size_t>(rows));
    Tensor scores = gradients != nullptr ? room.slice(first, first + rows) : room.slice(0, rows);
    kernels::gemm(in.x.slice(first, first + rows).matrix<T>(), in.weight.matrix<T>().transposed(),
                  scores.matrix<T>(), options);
    if (gradients == nullptr) {
      sums += kernels::cross_entropy(std::as_const(scores).span<T>(), targets, vocabulary, in.smoothing);
      continue;
    }
    sums += kernels::cross_entropy_with_gradient(scores.span<T>(), targets, vocabulary, in.smoothing);
    if (gradients->bias.present())
      kernels::sum_rows(std::as_const(scores).span<T>(), gradients->bias.span<T>());
    Tensor dx = gradients->x.slice(first, first + rows);
    kernels::gemm(std::as_const(scores).matrix<T>(), in.weight.matrix<T>(), dx.matrix<T>());
  }
  return sums;
}

}  // namespace

Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              std::span<const int32_t> targets, const CrossEntropyOptions& options) {
  require(weight.shape().rank() == 2 && x.shape().rank() == 2 && x.shape()[1] == weight.shape()[1],
          "linear_cross_entropy: input {} does not fit weight {}", x.shape(), weight.shape());
  require(!bias.present() || bias.shape() == Shape{weight.shape()[0]},
          "linear_cross_entropy: bias {} does not fit weight {}", bias.shape(), weight.shape());
  check_targets(targets, x.shape()[0], weight.shape()[0], options);
  Tape& tape = x.tape();
  const Inputs in = {x.value(), weight.value(), bias.value(), targets, options.smoothing};
  return with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    if (!tape.recording()) {
      return tape.constant(one_number(tape, loss_in_chunks<T>(tape, in, nullptr), x.type(), options));
    }
    Gradients gradients = {tape.allocate(x.shape(), x.type()),
                           tape.allocate({x.shape()[0], weight.shape()[0]}, x.type()),
                           bias.needs_gradient() ? tape.allocate_zeros(bias.shape(), bias.type()) : Tensor()};
    const kernels::CrossEntropySums sums = loss_in_chunks<T>(tape, in, &gradients);
    return tape.record(one_number(tape, sums, x.type(), options), {x, weight, bias},
                       [=](const Tensor& dloss) {
                         const double factor = dloss[0];
                         x.add_gradient(scaled(x.tape(), gradients.x, factor));
                         if (bias.needs_gradient())
                           bias.add_gradient(scaled(x.tape(), gradients.bias, factor));
                         const Tensor dscores = scaled(x.tape(), gradients.scores, factor);
                         add_product<T>(weight, dscores.matrix<T>().transposed(), x.value().matrix<T>());
                       });
  });
}

Variable cross_entropy(const Variable& scores, std::span<const int32_t> targets,
                       const CrossEntropyOptions& options) {
  require(scores.shape().rank() == 2, "cross_entropy: scores {} but (tokens, vocabulary) was expected",
          scores.shape());
  const int64_t vocabulary = scores.shape()[1];
  check_targets(targets, scores.shape()[0], vocabulary, options);
  Tape& tape = scores.tape();
  Tensor gradient = tape.allocate(scores.shape(), scores.type());
  gradient.copy_from(scores.value());
  const kernels::CrossEntropySums sums = with_type(scores.type(), [&](auto zero) {
    using T = decltype(zero);
    return kernels::cross_entropy_with_gradient(gradient.span<T>(), targets, vocabulary, options.smoothing);
  });
  return tape.record(one_number(tape, sums, scores.type(), options), {scores},
                     [scores, gradient](const Tensor& dloss) {
                       scores.add_gradient(scaled(scores.tape(), gradient, dloss[0]));
                     });
}

}  // namespace heed
