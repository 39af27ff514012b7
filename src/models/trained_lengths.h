// The sentence lengths that a model was trained on. They keep translations from running away, and
// lines from being longer than anything the model has seen.
#pragma once

#include <cstdint>

#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"

namespace heed {

// In tokens, including the end of each sentence. All 0 if unknown, as for models from other tools.
struct TrainedLengths {
  int64_t source = 0;  // of the longest source sentence
  int64_t target = 0;  // of the longest target sentence
  double ratio = 0;    // the most target tokens per source token of a pair

  bool known() const { return source > 0 && target > 0 && ratio > 0; }

  // One more pair, or all pairs of another corpus.
  void add(int64_t source_tokens, int64_t target_tokens);
  void add(const TrainedLengths& other);

  // The most tokens that a translation of this many source tokens should need, including its end:
  // one and a half times what the corpus showed, plus ten. If unknown, 256 as in CTranslate2, and
  // more for a long source.
  int64_t longest_translation(int64_t source_tokens) const;

  // Longer lines are better translated in parts: a quarter more than the corpus showed, but at
  // least 64, which is one sentence rather than several. If unknown, 256.
  int64_t longest_line() const;

  bool operator==(const TrainedLengths&) const = default;
};

// Measures the training pairs of a corpus: those with at most `max_length` tokens on each side. Of
// a very large corpus, only some chunks are read.
TrainedLengths measure_lengths(const CorpusStore& corpus, const Vocabulary& source,
                               const Vocabulary& target, int64_t max_length);

}  // namespace heed
