// The gradient of some rows of a table.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

// A pass looks up some rows of a table of words; the others get no gradient from that. So what is
// looked up has a place of its own, where only these rows are kept. Its memory is the caller's.
struct RowGradient {
  std::span<const int32_t> rows;  // of the table, in ascending order, each once
  std::span<float> values;        // (rows, width)

  // Adds scale gradient to the rows of these ids, in their order: gradient (ids, width). An id that
  // is not among the rows is an Error.
  void add(const Tensor& gradient, std::span<const int32_t> ids, double scale) const;
};

}  // namespace heed
