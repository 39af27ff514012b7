// The numbers that parameters begin with.
#pragma once

#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {

// What layers ask for their parameters when they are made. Cheap to copy.
class Initialiser {
 public:
  // Random numbers, drawn in the order in which they are asked for. The generator lives longer.
  Initialiser(Rng& rng) : rng_(&rng) {}

  // For a model whose parameters are about to be replaced: they hold whatever the memory holds.
  static Initialiser unset() { return {}; }

  Tensor uniform(const Shape& shape, double bound) const;     // in [-bound, bound)
  Tensor normal(const Shape& shape, double deviation) const;  // mean 0

  // A weight (outputs, inputs) that keeps the deviation of what passes through it in both
  // directions: uniform with the bound sqrt(6 / (inputs + outputs)), after Glorot and Bengio
  // (2010).
  Tensor xavier_uniform(int64_t outputs, int64_t inputs) const;

 private:
  Initialiser() = default;

  Rng* rng_ = nullptr;
};

}  // namespace heed
