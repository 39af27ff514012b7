// Beam search: at every step, the best few hypotheses of each sentence continue (a beam of one is
// greedy search), those that end leave the beam, and a finished sentence leaves the batch.
#pragma once

#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/models/model.h"

namespace heed {

// For each sentence of the batch, its n best hypotheses, best first; fewer if the search has found
// fewer. The result of a sentence does not depend on its batch. Ties go to the lower id.
std::vector<std::vector<Hypothesis>> beam_search(const Model& model, const TokenBatch& source,
                                                 const SentenceBounds& bounds,
                                                 const SearchOptions& options,
                                                 TargetPrefixes prefixes = {});

}  // namespace heed
