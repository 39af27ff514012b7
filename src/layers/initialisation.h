// Initial values of parameters; left uninitialised without a generator (see Rng::none).
#pragma once

#include "heed/base/random.h"
#include "heed/tensor/tensor.h"

namespace heed {

Tensor uniform_numbers(const Shape& shape, double bound, Rng& rng);     // in [-bound, bound)
Tensor normal_numbers(const Shape& shape, double deviation, Rng& rng);  // mean 0

// A weight (outputs, inputs) that preserves the deviation of what passes through it in both
// directions: uniform with the bound sqrt(6 / (inputs + outputs)), after Glorot and Bengio (2010).
Tensor xavier_uniform(int64_t outputs, int64_t inputs, Rng& rng);

}  // namespace heed
