#include "heed/training/sparse_gradient.h"

#include <algorithm>

#include "heed/training/flat_blocks.h"

namespace heed {

void SparseGradient::begin(std::span<const Range> stretches, bool with_values) {
  stretches_.assign(stretches.begin(), stretches.end());
  ends_.clear();
  int64_t end = 0;
  for (const Range& stretch : stretches) ends_.push_back(end += stretch.size());
  values_.assign(with_values ? static_cast<size_t>(end) : 0, 0.0f);
}

void SparseGradient::visit_within(const Range& range, const PartVisitor& visit) const {
  if (range.size() == 0) return;
  const auto first = std::ranges::upper_bound(stretches_, range.begin, {}, &Range::end);
  for (auto i = static_cast<size_t>(first - stretches_.begin()); i < stretches_.size(); ++i) {
    const Range& stretch = stretches_[i];
    if (stretch.begin >= range.end) return;
    const Range part = {std::max(stretch.begin, range.begin), std::min(stretch.end, range.end)};
    const int64_t begin = ends_[i] - (stretch.end - part.begin);
    visit(part, part_of(values(), {begin, begin + part.size()}));
  }
}

}  // namespace heed
