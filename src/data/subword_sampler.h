// Subword sampling: the same text is split into different pieces each time, so that a model sees
// more than one segmentation of a word. Depends only on the random key; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/piece_trie.h"
#include "heed/data/sentencepiece_model.h"

namespace heed {

class SubwordSampler {
 public:
  explicit SubwordSampler(const SentencePieceModel& model);

  // Only unigram and BPE models have several segmentations of a word. User-defined pieces are never
  // split.
  bool can_sample() const { return can_sample_; }

  // `text` is normalised: what the pieces of its encoding spell. The ids are those of the model's
  // file. Unigram: a segmentation is drawn with a probability proportional to the product of its
  // pieces' probabilities to the power of `alpha`. BPE: each merge is left out with probability
  // `alpha`.
  std::vector<int32_t> sample(std::string_view text, double alpha, RandomKey key) const;

 private:
  std::vector<std::string_view> sample_unigram(std::string_view text, double alpha, Rng& rng) const;
  std::vector<std::string_view> sample_bpe(std::string_view text, double alpha, Rng& rng) const;
  std::vector<int32_t> ids_of(const std::vector<std::string_view>& parts) const;

  bool can_sample_ = false;
  VocabularyKind kind_ = VocabularyKind::unigram;
  PieceTrie trie_;
  std::vector<float> scores_;
  double unknown_score_ = 0;
  int32_t unknown_ = 0;
  bool has_bytes_ = false;
  std::array<int32_t, 256> bytes_ = {};  // the ids that spell an unknown character
};

}  // namespace heed
