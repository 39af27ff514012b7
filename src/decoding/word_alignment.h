// Word alignments from attention weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/tensor/tensor.h"

namespace heed {

// The word of each piece, from 0 on; -1 for the start and the end of a sentence, and for the first
// pieces if those are a tag. Pieces belong to the word that starts at or before them.
std::vector<int64_t> words_of(std::span<const int32_t> ids, const Vocabulary& vocabulary,
                              size_t tag_tokens = 0);

struct WordAlignment {
  // (target words, source words): how much of its attention a word gave to another, averaged over
  // its pieces. What went to the sentence's end is left out, so rows sum to at most 1. One for each
  // part that a long text was translated in, since a word sees nothing of the other parts: a matrix
  // of all words would grow with the square of the text. None where attention is not wanted.
  std::vector<Tensor> parts;

  int64_t source_words() const;
  int64_t target_words() const;

  struct Link {
    int64_t source, target;
    bool operator==(const Link&) const = default;
  };
  // For each target word, the source word with the highest weight; the first of equals.
  std::vector<Link> links() const;
};

// attention: (target ids, source ids). See words_of and word_weights.
WordAlignment align_words(const Tensor& attention, std::span<const int32_t> source_ids,
                          const Vocabulary& source, std::span<const int32_t> target_ids,
                          const Vocabulary& target);

}  // namespace heed
