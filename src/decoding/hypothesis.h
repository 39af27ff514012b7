// A translation that a search has found.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Hypothesis {
  std::vector<int32_t> ids;    // without the start and the end of the sentence
  double score = 0;            // what hypotheses compete by: log-probability / length^penalty
  double log_probability = 0;  // of the ids and, unless cut at the maximum length, the sentence's end
  Tensor attention;            // (ids, source tokens): what each id looked at; absent where not wanted
};

}  // namespace heed
