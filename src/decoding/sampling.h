// Samples translations token by token, with the probabilities of the model.
#pragma once

#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/models/model.h"

namespace heed {

// For each sentence `n_best` samples, those with the highest score first. `options.sampling` must
// be set. The log-probabilities are those of the model, regardless of the temperature.
std::vector<std::vector<Hypothesis>> sample_translations(const Model& model,
                                                         const TokenBatch& source,
                                                         const SentenceBounds& bounds,
                                                         const SearchOptions& options,
                                                         TargetPrefixes prefixes = {});

// The token that a number in [0, 1) selects from softmax(scores / temperature), among the likeliest
// ones.
int32_t draw_token(std::span<const float> scores, const Sampling& sampling, double number);

}  // namespace heed
