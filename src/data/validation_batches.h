// A whole corpus as batches, for validation.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/batch.h"
#include "heed/data/corpus_store.h"
#include "heed/data/example_maker.h"

namespace heed {

struct ValidationBatch {
  Batch batch;
  std::vector<int64_t> examples;  // their numbers among those of the corpus
};

// Every example of the corpus once, sorted by length, in batches of at most `tokens` (an example
// counts by its longer side). A longer one gets its own batch.
std::vector<ValidationBatch> validation_batches(const CorpusStore& store, const ExampleMaker& maker,
                                                int64_t tokens);

}  // namespace heed
