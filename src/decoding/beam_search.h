// Finds likely translations: at every step the best few beginnings of each sentence go on (a beam
// of one is greedy search), those that end leave the beam, and a sentence that is done leaves the
// batch.
#pragma once

#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/models/model.h"

namespace heed {

// For each sentence of the batch its n best hypotheses, best first; fewer if the search has found
// fewer. The result of a sentence does not depend on its batch. Between equal scores the lower id
// comes first.
std::vector<std::vector<Hypothesis>> beam_search(const Model& model, const TokenBatch& source,
                                                 const SentenceBounds& bounds,
                                                 const SearchOptions& options,
                                                 TargetPrefixes prefixes = {});

}  // namespace heed
