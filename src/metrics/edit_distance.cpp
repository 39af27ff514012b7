#include "heed/metrics/edit_distance.h"

#include <algorithm>
#include <cmath>

namespace heed {

namespace {

constexpr int unreachable = 1 << 28;
constexpr int band_width = 25;  // columns on either side of the diagonal

}  // namespace

EditDistance::EditDistance(std::u32string_view reference)
    : reference_(reference), width_(reference.size() + 1), cells_(width_) {
  for (size_t column = 0; column < width_; ++column)
    cells_[column] = {static_cast<int>(column), Edit::insert};
}

int EditDistance::edits(std::u32string_view hypothesis) {
  const auto begin = hypothesis_.begin();
  size_t row = 0;
  // The band and the treatment of the last row depend on the length.
  if (hypothesis.size() == hypothesis_.size())
    row = static_cast<size_t>(std::mismatch(begin, hypothesis_.end(), hypothesis.begin()).first - begin);
  hypothesis_ = hypothesis;
  cells_.resize((hypothesis.size() + 1) * width_);
  while (row < hypothesis.size()) fill_row(++row);
  return cells_.back().cost;
}

void EditDistance::fill_row(size_t row) {
  const double slope = static_cast<double>(reference_.size()) / static_cast<double>(hypothesis_.size());
  // Very different lengths would leave gaps between the bands of two rows.
  const int reach = band_width < slope / 2 ? static_cast<int>(std::ceil(slope / 2 + band_width)) : band_width;
  const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(row) * slope));
  const auto width = static_cast<int64_t>(width_);
  const int64_t first = std::max<int64_t>(0, diagonal - reach);
  const int64_t last = row == hypothesis_.size() ? width : std::min(width, diagonal + reach);
  for (int64_t column = 0; column < width; ++column)
    cell(row, static_cast<size_t>(column)) = {unreachable, Edit::none};
  for (int64_t column = first; column < last; ++column)
    cell(row, static_cast<size_t>(column)) = cheapest(row, static_cast<size_t>(column));
}

// Of equally cheap edits the first: keeping or replacing, then removing, then inserting.
EditDistance::Cell EditDistance::cheapest(size_t row, size_t column) const {
  const Cell remove{cell(row - 1, column).cost + 1, Edit::remove};
  if (column == 0) return remove;
  const bool equal = hypothesis_[row - 1] == reference_[column - 1];
  const int before = cell(row - 1, column - 1).cost;
  Cell best = cell(row, column);
  for (const Cell& edit : {equal ? Cell{before, Edit::keep} : Cell{before + 1, Edit::replace}, remove,
                           Cell{cell(row, column - 1).cost + 1, Edit::insert}})
    if (edit.cost < best.cost) best = edit;
  return best;
}

EditDistance::Alignment EditDistance::alignment() const {
  Alignment found;
  found.of_reference.resize(reference_.size());
  found.reference_is_wrong.resize(reference_.size());
  found.hypothesis_is_wrong.resize(hypothesis_.size());
  size_t row = hypothesis_.size(), column = reference_.size();
  while (row > 0 || column > 0) {
    const Edit edit = cell(row, column).last;
    const bool wrong = edit != Edit::keep;
    if (edit != Edit::insert) found.hypothesis_is_wrong[row - 1] = wrong;
    if (edit != Edit::remove) {
      found.of_reference[column - 1] = static_cast<int64_t>(row) - 1;
      found.reference_is_wrong[column - 1] = wrong;
    }
    if (edit != Edit::insert) --row;
    if (edit != Edit::remove) --column;
  }
  return found;
}

}  // namespace heed
