// Nadaraya–Watson regression that learns its bandwidth: attention whose score is a Gaussian kernel.
// Each point is predicted from all the others (never from itself), and the bandwidth that predicts
// best is found by gradient descent.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "heed/heed.h"

int main() {
  using namespace heed;
  const int64_t points = 60;
  Rng rng(7);
  Tensor x = Tensor::uninitialised({points, 1}), y = Tensor::uninitialised({points, 1});
  for (int64_t i = 0; i < points; ++i) {
    const double at = rng.uniform(0.0, 5.0);
    x.data<float>()[i] = static_cast<float>(at);
    y.data<float>()[i] =
        static_cast<float>(2.0 * std::sin(at) + std::pow(at, 0.8) + 0.3 * rng.normal());
  }
  const auto others = std::make_shared<BooleanMask>();
  others->shape = {points, points};
  others->allowed.assign(static_cast<size_t>(points * points), 1);
  for (int64_t i = 0; i < points; ++i) others->allowed[static_cast<size_t>(i * points + i)] = 0;

  ScoreLayer kernel(ScoreKind::gaussian, {.bandwidth = 2.0}, rng);
  Tape tape;
  for (int step = 0; step <= 60; ++step) {
    tape.clear();
    const Variable at = tape.constant(x), truth = tape.constant(y);
    const Attended prediction = attend({.queries = at,
                                        .keys = at,
                                        .values = truth,
                                        .score = kernel.on(tape),
                                        .mask = {.allowed = others}});
    const Variable loss = mean_squared_error(prediction.output, truth);
    tape.backward(loss);
    kernel.visit_parameters("", [&](const std::string&, Tensor& bandwidth) {
      if (step % 10 == 0)
        fmt::print("step {:2}: bandwidth {:.3f}, error {:.4f}\n", step, bandwidth[0],
                   loss.value()[0]);
      bandwidth.data<float>()[0] -= 0.2f * static_cast<float>(tape.gradient_of(bandwidth)[0]);
    });
  }
}
