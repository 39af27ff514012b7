// Heads that are turned down or switched off.
#pragma once

#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

// x (tokens, heads × head width): the part of each head times its gate. A gate of 0 gives zeros,
// whatever the head has computed. Without gates, x itself.
Variable scale_heads(const Variable& x, const std::vector<double>& gates);

}  // namespace heed
