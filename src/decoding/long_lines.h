// Lines that are too long for a model, in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// The line's ids in parts of at most `longest`. A line that is longer is cut into its sentences,
// because that is what models have learnt from; where no sentence ends within reach, into parts
// that are about equal and begin with a word where they can. An empty line has no parts.
std::vector<std::vector<int32_t>> cut_line(const std::vector<int32_t>& ids,
                                           const Vocabulary& vocabulary, int64_t longest);

}  // namespace heed
