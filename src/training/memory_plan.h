// How large a batch fits into a given memory.
#pragma once

#include <cstdint>

#include "heed/models/model.h"
#include "heed/training/learner.h"

namespace heed {

struct MemoryPlan {
  int64_t fixed = 0;  // bytes of weights, moments, average and gradients
  int64_t per_token =
      0;  // bytes of values and gradients for each pair of a source and a target token
};

// Found by taking a step with a few made-up sentences. Nothing of the model is changed.
MemoryPlan plan_memory(PredictingModel& model, int64_t source_vocabulary, int64_t target_vocabulary,
                       int shards, const LearnerConfig& config);

// The tokens of a batch that fit into so many bytes, whatever the number of threads, but not more
// than `most`. An Error says how much would be needed at least.
int64_t fitting_batch(const MemoryPlan& plan, int64_t bytes, int64_t most);

}  // namespace heed
