// Word alignments from attention weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct WordAlignment {
  // (target words, source words): the attention weight of a target word on a source word, averaged
  // over its pieces. The sentence's end is left out, so rows sum to at most 1.
  Tensor weights;

  struct Link {
    int64_t source, target;
    bool operator==(const Link&) const = default;
  };
  // For each target word, the source word with the highest weight; the first of equals.
  std::vector<Link> links() const;
};

// attention: (target ids, source ids). Pieces belong to the word that starts at or before them.
WordAlignment align_words(const Tensor& attention, std::span<const int32_t> source_ids,
                          const Vocabulary& source, std::span<const int32_t> target_ids,
                          const Vocabulary& target);

// Joins the alignments of parts that were translated one after the other.
WordAlignment joined(const WordAlignment& front, const WordAlignment& back);

}  // namespace heed
