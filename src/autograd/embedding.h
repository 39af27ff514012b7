// Looks up rows of a table.
#pragma once

#include <cstdint>
#include <span>

#include "heed/autograd/tape.h"

namespace heed {

// scale table[ids]: table (vocabulary, width), ids (tokens) -> (tokens, width). Ids outside the
// table are refused.
Variable embed(const Variable& table, std::span<const int32_t> ids, double scale = 1.0);

}  // namespace heed
