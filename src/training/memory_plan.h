// The largest batch that fits into a given amount of memory.
#pragma once

#include <cstdint>

#include "heed/models/model.h"
#include "heed/training/learner.h"

namespace heed {

struct MemoryPlan {
  int64_t fixed = 0;  // bytes of weights, moments, EMA and gradients
  // Bytes of values and gradients for each pair of a source and a target token.
  int64_t per_token = 0;
};

// A few sentences of ids below these; without a source if its vocabulary has no words.
Batch made_up_batch(int64_t source_vocabulary, int64_t target_vocabulary);

// Found by taking a step with such a batch. Nothing of the model is changed.
MemoryPlan plan_memory(PredictingModel& model, const Batch& batch, int shards,
                       const LearnerConfig& config);

// The tokens of a batch that fit into this many bytes, for any number of threads, but at most
// `most`. If none fit, an Error says how much memory is needed.
int64_t fitting_batch(const MemoryPlan& plan, int64_t bytes, int64_t most);

}  // namespace heed
