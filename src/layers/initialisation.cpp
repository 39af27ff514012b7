#include "heed/layers/initialisation.h"

#include <cmath>

namespace heed {

Tensor uniform_numbers(const Shape& shape, double bound, Rng& rng) {
  Tensor numbers = Tensor::uninitialised(shape);
  if (rng.is_none()) return numbers;
  for (float& number : numbers.span<float>())
    number = static_cast<float>(rng.uniform(-bound, bound));
  return numbers;
}

Tensor normal_numbers(const Shape& shape, double deviation, Rng& rng) {
  Tensor numbers = Tensor::uninitialised(shape);
  if (rng.is_none()) return numbers;
  for (float& number : numbers.span<float>()) number = static_cast<float>(deviation * rng.normal());
  return numbers;
}

Tensor xavier_uniform(int64_t outputs, int64_t inputs, Rng& rng) {
  return uniform_numbers({outputs, inputs}, std::sqrt(6.0 / static_cast<double>(inputs + outputs)),
                         rng);
}

}  // namespace heed
