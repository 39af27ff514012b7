// Lines that are too long for a model, in parts.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/data/vocabulary.h"

namespace heed {

// The line's ids in as few parts of about equal size as it needs for none to have more than `longest`. Parts
// begin with the start of a word where one is near. An empty line has no parts.
std::vector<std::vector<int32_t>> cut_line(std::vector<int32_t> ids, const Vocabulary& vocabulary,
                                           int64_t longest);

}  // namespace heed
