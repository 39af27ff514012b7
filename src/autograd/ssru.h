// The simpler simple recurrent unit (Kim et al., 2019), which stands for self-attention in small
// decoders, as an op: all matrix products are made before it, for all tokens at once.
#pragma once

#include <span>

#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"

namespace heed {

// With f = sigmoid(gates), for the tokens t of each sequence, from a cell of zeros on:
//   cell_t = f_t cell_(t-1) + (1 - f_t) candidates_t     output_t = relu(cell_t)
// candidates and gates (tokens, width) -> (tokens, width).
Variable ssru(const Variable& candidates, const Variable& gates, const Ragged& layout);

// One step of one sequence, without a gradient: f is sigmoid(gates); without a previous cell, it is
// zeros.
void ssru_step(std::span<const float> candidates, std::span<const float> f, const float* previous,
               std::span<float> cell, std::span<float> output);

}  // namespace heed
