// What stands around each token, for convolutions over a text.
#pragma once

#include <cstdint>

#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"

namespace heed {

// x (tokens, width) -> (tokens, (2 · radius + 1) · width): each token's row between those of the
// `radius` tokens before it and after it, zeros beyond the ends of its sequence. A linear layer of
// this is a convolution.
Variable neighbours(const Variable& x, const Ragged& layout, int64_t radius);

}  // namespace heed
