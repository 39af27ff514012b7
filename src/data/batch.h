// Examples as ids, ready for a model: pairs of sentences, or texts alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/tensor/ragged.h"
#include "heed/tensor/token_link.h"

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

// Stands for the token that starts a decoder, whose id depends on the vocabulary.
constexpr int32_t start_token = -1;

// Target sentence i translates source sentence i. A text to be continued has no source.
struct Batch {
  TokenBatch source;
  TokenBatch target;
  // For a target that is the middle of a longer text, the token before it; otherwise start_token.
  // Empty: all targets are whole.
  std::vector<int32_t> before = {};
  // Of a masked text: where in source.ids each token of the target is missing.
  std::vector<int32_t> places = {};
  // Which tokens of the source some tokens of the target translate, if that is known; sorted.
  std::vector<TokenLink> links = {};
  std::vector<float> weights = {};  // of the pairs in the loss; empty: all are 1

  int64_t sentences() const { return target.layout.sequences(); }
};

// The sentences include their end-of-sentence ids, if they have any.
TokenBatch join_sentences(std::span<const std::vector<int32_t>> sentences);

// All pairs, and then all of them again.
Batch twice(const Batch& batch);

// The sentences without their end-of-sentence ids.
TokenBatch without_ends(const TokenBatch& tokens);

// What a decoder reads while it predicts the target: each sentence without its last token, after
// what stands before it, by default `start`.
TokenBatch shifted_right(const Batch& batch, int32_t start);

}  // namespace heed
