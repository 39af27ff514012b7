// Dropout: noise that keeps a network from relying on single elements.
#pragma once

#include "heed/autograd/tape.h"

namespace heed {

// Zeroes each element with probability `rate` and scales the others by 1 / (1 - rate); 0 <= rate
// < 1. Identity when the tape is not training. Which elements: see Tape::next_key.
Variable dropout(const Variable& x, double rate);

// x + dropout(update, rate), in one pass: the end of a residual block.
Variable add_dropped(const Variable& x, const Variable& update, double rate);

}  // namespace heed
