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

  int64_t sentences() const { return target.layout.sequences(); }
};

// The sentences are given with their end-of-sentence ids, or get none.
TokenBatch join_sentences(std::span<const std::vector<int32_t>> sentences);

// The pairs, and then all of them once more.
Batch twice(const Batch& batch);

// The sentences without their end-of-sentence ids.
TokenBatch without_ends(const TokenBatch& tokens);

// What a decoder reads while it predicts `target`: each sentence behind a start token and without
// its last token.
TokenBatch shifted_right(const TokenBatch& target, int32_t start);

}  // namespace heed
