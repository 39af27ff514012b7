// Lines that are too long for a model, in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// The line's ids in parts of at most `longest`, about equal. They end behind a sentence where one ends within
// reach, otherwise before a word where there is one. An empty line has no parts.
std::vector<std::vector<int32_t>> cut_line(const std::vector<int32_t>& ids, const Vocabulary& vocabulary,
                                           int64_t longest);

}  // namespace heed
