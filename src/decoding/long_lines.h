// Splits lines that are too long for a model.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// The line's ids in parts of at most `longest`. A longer line is split into its sentences, because
// models are trained on sentences. If no sentence ends early enough, it is split into roughly equal
// parts that start at a word if possible. An empty line has no parts.
std::vector<std::vector<int32_t>> cut_line(const std::vector<int32_t>& ids,
                                           const Vocabulary& vocabulary, int64_t longest);

}  // namespace heed
