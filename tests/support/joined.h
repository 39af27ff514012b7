// Several results of an op or a layer as one.
#pragma once

#include <vector>

#include "heed/autograd/layout.h"

namespace heed::testing {

// Several results as one, so that one gradient reaches them all: (1, elements of all).
inline Variable joined(const std::vector<Variable>& results) {
  std::vector<Variable> rows;
  for (const Variable& result : results)
    rows.push_back(reshape(result, {1, result.value().elements()}));
  return concatenate_columns(rows);
}

}  // namespace heed::testing
