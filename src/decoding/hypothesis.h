// A translation that a search has found.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Hypothesis {
  std::vector<int32_t> ids;  // without the start and the end of the sentence
  double score = 0;          // what hypotheses compete by: log-probability / length^penalty
  // Of the ids and, unless cut at the maximum length, the sentence's end. Beam search takes it
  // after its rules, such as a repetition penalty, have changed the scores; samples tell the
  // model's own.
  double log_probability = 0;
  bool cut = false;  // at the maximum length, rather than ended by the model
  Tensor attention;  // (ids, source tokens): what each id looked at; absent where not wanted
};

}  // namespace heed
