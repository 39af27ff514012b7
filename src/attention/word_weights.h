// From the weights of pieces to the weights of words.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

// weights (queries, keys) of float32 -> (query words, key words): what the pieces of a key's word
// receive is added up, and what the pieces of a query's word give is averaged. `query_words` and
// `key_words` give each piece's word, from 0 on without gaps, or -1 for special tokens, which are
// left out; so rows sum to at most 1.
Tensor word_weights(const Tensor& weights, std::span<const int64_t> query_words,
                    std::span<const int64_t> key_words);

}  // namespace heed
