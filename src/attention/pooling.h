// Pooling without queries, the baseline that attention improves upon: one row per sequence.
#pragma once

#include "heed/attention/score.h"
#include "heed/autograd/tape.h"
#include "heed/tensor/ragged.h"

namespace heed {

// x (tokens, width) -> (sequences, width). An empty sequence gives zeros.
Variable mean_pooling(const Variable& x, const Ragged& layout);
Variable max_pooling(const Variable& x,
                     const Ragged& layout);  // the first of equal elements gets the gradient
// The first token of each sequence; an empty sequence has none and is refused.
Variable first_pooling(const Variable& x, const Ragged& layout);

// Attention by one learned query (width) that is the same for every sequence; the tokens are keys
// and values.
Variable learned_pooling(const Variable& x, const Ragged& layout, const Variable& query,
                         const Score& score = ScaledDot{});
// The weights of the tokens in it, those of a sequence with the sum 1: (tokens).
Tensor learned_pooling_weights(const Variable& x, const Ragged& layout, const Variable& query,
                               const Score& score = ScaledDot{});

}  // namespace heed
