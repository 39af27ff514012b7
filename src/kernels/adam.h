// One update of Adam, or of AdamW when the decay is not zero.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

struct AdamStep {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-9;
  double decay = 0.0;  // decoupled weight decay: parameter -= learning_rate * decay * parameter
  double gradient_scale = 1.0;  // multiplies the gradient first (clipping, averaging)
  int64_t step = 1;             // counts from 1
};

// first = β1 first + (1-β1) g; second = β2 second + (1-β2) g²;
// parameter -= learning_rate (first / (1-β1^step)) / (sqrt(second / (1-β2^step)) + ε), after the
// decay.
void adam_update(const AdamStep& step, std::span<const float> gradient, std::span<float> first,
                 std::span<float> second, std::span<float> parameter);
void adam_update(const AdamStep& step, std::span<const double> gradient, std::span<double> first,
                 std::span<double> second, std::span<double> parameter);

}  // namespace heed::kernels
