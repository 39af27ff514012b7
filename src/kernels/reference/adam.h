// What the Adam kernel computes, element by element.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "heed/kernels/adam.h"

namespace heed::reference {

template <typename T>
void adam_update(const kernels::AdamStep& step, std::span<const T> gradient, std::span<T> first,
                 std::span<T> second, std::span<T> parameter) {
  const double first_correction = 1.0 - std::pow(step.beta1, static_cast<double>(step.step));
  const double second_correction = 1.0 - std::pow(step.beta2, static_cast<double>(step.step));
  const T beta1 = static_cast<T>(step.beta1), rest1 = static_cast<T>(1.0 - step.beta1);
  const T beta2 = static_cast<T>(step.beta2), rest2 = static_cast<T>(1.0 - step.beta2);
  const T shrink = static_cast<T>(1.0 - step.learning_rate * step.decay);
  for (size_t i = 0; i < parameter.size(); ++i) {
    const T g = static_cast<T>(step.gradient_scale) * gradient[i];
    first[i] = beta1 * first[i] + rest1 * g;
    second[i] = beta2 * second[i] + rest2 * g * g;
    const T direction = first[i] / static_cast<T>(first_correction);
    const T size =
        std::sqrt(second[i] / static_cast<T>(second_correction)) + static_cast<T>(step.epsilon);
    parameter[i] = parameter[i] * shrink - static_cast<T>(step.learning_rate) * direction / size;
  }
}

}  // namespace heed::reference
