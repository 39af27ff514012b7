// The loss of a model that answers questions with yes or no, each by itself.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/cross_entropy.h"

namespace heed {

// Σ over all scores x of the cross-entropy between sigmoid(x) and its answer y, which is 1 or 0:
// log(1 + eˣ) - x y -> one number. Label smoothing s makes y (1 - s) + s / 2 of y. There is no
// R-Drop.
Variable binary_cross_entropy(const Variable& scores, std::span<const int32_t> answers,
                              const CrossEntropyOptions& options = {});

}  // namespace heed
