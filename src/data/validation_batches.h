// A whole corpus as batches, to measure a model with.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"

namespace heed {

struct ValidationBatch {
  Batch batch;
  std::vector<int64_t> pairs;  // the number in the corpus of each of its pairs
};

// Every pair of at most `max_length` tokens on a side once, sorted by length, in batches of at most
// `tokens` (a pair counts with its longer side); a pair that is longer has a batch of its own.
std::vector<ValidationBatch> validation_batches(const CorpusStore& store, const Vocabulary& source,
                                                const Vocabulary& target, int64_t tokens,
                                                int64_t max_length);

}  // namespace heed
