// Ops that only move numbers.
#pragma once

#include <span>

#include "heed/autograd/tape.h"

namespace heed {

Variable reshape(const Variable& x, Shape shape);  // shares the numbers
Variable slice(const Variable& x, int64_t begin,
               int64_t end);  // [begin, end) of the first axis; shares too
Variable slice_columns(const Variable& x, int64_t begin,
                       int64_t end);  // [begin, end) of the last axis
Variable concatenate_columns(
    std::span<const Variable> parts);  // along the last axis; the other axes are equal

}  // namespace heed
