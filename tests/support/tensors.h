// Tensors to test with, and their numbers to compare.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed::testing {

// The elements as doubles, whatever the type: every float32 is one.
inline std::vector<double> values_of(const Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) values.push_back(tensor[i]);
  return values;
}

// Numbers from a normal distribution, of which float32 holds every digit.
inline Tensor random_tensor(const Shape& shape, uint64_t seed, Type type = Type::float32) {
  Tensor tensor = Tensor::uninitialised(shape);
  Rng rng(seed);
  for (float& element : tensor.span<float>()) element = static_cast<float>(rng.normal());
  return tensor.to(type);
}

}  // namespace heed::testing
