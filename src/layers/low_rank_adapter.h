// What an adapter adds to the weight of a linear layer: scale up down, a matrix of low rank.
#pragma once

#include "heed/layers/initialisation.h"

namespace heed {

struct LowRankAdapter {
  Tensor down;  // (rank, inputs)
  Tensor up;    // (outputs, rank)
  double scale = 1;

  bool present() const { return down.present(); }
};

// Adds nothing at first: `up` is zero, `down` is random.
LowRankAdapter new_adapter(int64_t inputs, int64_t outputs, int64_t rank, double scale,
                           Initialiser init);

// weight + scale up down, in memory of its own.
Tensor merged(const Tensor& weight, const LowRankAdapter& adapter);

}  // namespace heed
