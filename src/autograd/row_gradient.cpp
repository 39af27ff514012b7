#include "heed/autograd/row_gradient.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/embedding.h"

namespace heed {

void RowGradient::add(const Tensor& gradient, std::span<const int32_t> ids, double scale) const {
  std::vector<int32_t> places;
  places.reserve(ids.size());
  for (const int32_t id : ids) {
    const auto found = std::ranges::lower_bound(rows, id);
    require(found != rows.end() && *found == id,
            "embed: row {} is looked up, but only {} other rows were announced", id, rows.size());
    places.push_back(static_cast<int32_t>(found - rows.begin()));
  }
  const int64_t width = gradient.shape()[1];
  kernels::scatter_add_rows(gradient.span<float>(), places, width, static_cast<float>(scale),
                            values);
}

}  // namespace heed
