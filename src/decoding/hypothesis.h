// A translation found by a search.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

struct Hypothesis {
  std::vector<int32_t> ids;  // without the start and the end of the sentence
  double score = 0;          // what hypotheses are ranked by: log-probability / length^penalty
  // Of the ids and, unless cut at the maximum length, the sentence's end. For beam search, after
  // rules such as a repetition penalty have changed the scores; for samples, the model's own.
  double log_probability = 0;
  bool cut = false;  // at the maximum length, rather than ended by the model
  Tensor attention;  // (ids, source tokens): what each id attended to; absent if not wanted
};

}  // namespace heed
