// A whole corpus as batches, for validation.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/corpus_store.h"
#include "heed/data/vocabulary.h"

namespace heed {

struct ValidationBatch {
  Batch batch;
  std::vector<int64_t> pairs;  // the indices of its pairs in the corpus
};

// Every pair of at most `max_length` tokens on each side once, sorted by length, in batches of at
// most `tokens` (a pair counts by its longer side). A longer pair gets its own batch.
std::vector<ValidationBatch> validation_batches(const CorpusStore& store, const Vocabulary& source,
                                                const Vocabulary& target, int64_t tokens,
                                                int64_t max_length);

}  // namespace heed
