// How long the sentences were that a model has learnt from: what keeps a translation from running
// away, and a line from being longer than anything the model has seen.
#pragma once

#include <cstdint>

#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"

namespace heed {

// Tokens, with the end of each sentence. All 0 where nobody knows: in models of other tools.
struct TrainedLengths {
  int64_t source = 0;  // of the longest source sentence
  int64_t target = 0;  // of the longest target sentence
  double ratio = 0;    // the most target tokens per source token of a pair

  bool known() const { return source > 0 && target > 0 && ratio > 0; }

  // One more pair, or all pairs of another corpus.
  void add(int64_t source_tokens, int64_t target_tokens);
  void add(const TrainedLengths& other);

  // The most tokens that a translation of so many source tokens should need, its end included: half
  // as many again as the corpus showed, and ten. Where nobody knows, 256 as in CTranslate2, and
  // more for a long source.
  int64_t longest_translation(int64_t source_tokens) const;

  // Lines of more tokens are better translated in parts: a quarter more than the corpus showed, but
  // never fewer than 64, which are a sentence rather than several. Where nobody knows, 256.
  int64_t longest_line() const;

  bool operator==(const TrainedLengths&) const = default;
};

// Of the pairs of a corpus that are learnt from: those with at most `max_length` tokens on each
// side. Of a very large corpus some chunks stand for all.
TrainedLengths measure_lengths(const CorpusStore& corpus, const Vocabulary& source,
                               const Vocabulary& target, int64_t max_length);

}  // namespace heed
