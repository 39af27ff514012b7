// Sentence pairs as ids, ready for a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/ragged.h"

namespace heed {

// Sentences laid end to end, each with its end-of-sentence id.
struct TokenBatch {
  std::vector<int32_t> ids;
  Ragged layout;

  std::span<const int32_t> sentence(int64_t index) const {
    return std::span(ids).subspan(static_cast<size_t>(layout.begin(index)),
                                  static_cast<size_t>(layout.length(index)));
  }
};

// Target sentence i translates source sentence i.
struct Batch {
  TokenBatch source;
  TokenBatch target;
  // Of a masked text: where in source.ids each token of the target is missing.
  std::vector<int32_t> places = {};

  int64_t sentences() const { return target.layout.sequences(); }
};

// The sentences include their end-of-sentence ids, if they have any.
TokenBatch join_sentences(std::span<const std::vector<int32_t>> sentences);

// All pairs, and then all of them again.
Batch twice(const Batch& batch);

// The sentences without their end-of-sentence ids.
TokenBatch without_ends(const TokenBatch& tokens);

// What a decoder reads while it predicts `target`: each sentence with a start token before it and
// without its last token.
TokenBatch shifted_right(const TokenBatch& target, int32_t start);

}  // namespace heed
