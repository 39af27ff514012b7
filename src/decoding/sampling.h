// Draws translations at random, token by token, as likely as the model finds them.
#pragma once

#include <vector>

#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/models/model.h"

namespace heed {

// For each sentence `n_best` samples, those with the highest score first. `options.sampling` is
// there. The log-probabilities are the model's own, whatever the temperature.
std::vector<std::vector<Hypothesis>> sample_translations(const Model& model,
                                                         const TokenBatch& source,
                                                         const SentenceBounds& bounds,
                                                         const SearchOptions& options,
                                                         TargetPrefixes prefixes = {});

// The token that a number in [0, 1) draws from softmax(scores / temperature), among the likeliest
// ones.
int32_t draw_token(std::span<const float> scores, const Sampling& sampling, double number);

}  // namespace heed
