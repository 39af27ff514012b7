#include "heed/layers/initialisation.h"

#include <cmath>

namespace heed {

namespace {

template <typename Draw>
Tensor drawn(const Shape& shape, Rng* rng, Draw draw) {
  Tensor numbers = Tensor::uninitialised(shape);
  if (rng == nullptr) return numbers;
  for (float& number : numbers.span<float>()) number = static_cast<float>(draw(*rng));
  return numbers;
}

}  // namespace

Tensor Initialiser::uniform(const Shape& shape, double bound) const {
  return drawn(shape, rng_, [&](Rng& rng) { return rng.uniform(-bound, bound); });
}

Tensor Initialiser::normal(const Shape& shape, double deviation) const {
  return drawn(shape, rng_, [&](Rng& rng) { return deviation * rng.normal(); });
}

Tensor Initialiser::xavier_uniform(int64_t outputs, int64_t inputs) const {
  return uniform({outputs, inputs}, std::sqrt(6.0 / static_cast<double>(inputs + outputs)));
}

}  // namespace heed
