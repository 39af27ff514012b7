#include "heed/metrics/edit_distance.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

namespace heed {

namespace {

constexpr int unreachable = 1 << 28;
constexpr size_t band_width = 25;  // columns on either side of the diagonal

// The range of words in which two sentences of the same length differ.
std::pair<size_t, size_t> difference(std::u32string_view a, std::u32string_view b) {
  const auto begin = std::mismatch(a.begin(), a.end(), b.begin()).first;
  const auto end = std::mismatch(a.rbegin(), std::reverse_iterator(begin), b.rbegin()).first;
  return {begin - a.begin(), end.base() - a.begin()};
}

}  // namespace

EditDistance::EditDistance(std::u32string_view reference) : reference_(reference) { lay_out(0); }

// The band, and so the place of every cell, depends only on the lengths.
void EditDistance::lay_out(size_t words) {
  const size_t width = reference_.size() + 1;
  const double slope =
      static_cast<double>(reference_.size()) / static_cast<double>(std::max<size_t>(words, 1));
  // Very different lengths would leave gaps between the bands of two rows.
  const size_t reach =
      band_width < slope / 2 ? static_cast<size_t>(std::ceil(slope / 2 + band_width)) : band_width;
  rows_ = {{.first = 0, .last = width, .cells = 0, .rise = 0}};
  for (size_t row = 1; row <= words; ++row) {
    const auto diagonal = static_cast<size_t>(std::floor(static_cast<double>(row) * slope));
    rows_.push_back({.first = diagonal - std::min(diagonal, reach),
                     .last = row == words ? width : std::min(width, diagonal + reach),
                     .cells = rows_.back().cells + rows_.back().size(),
                     .rise = 0});
  }
  cells_.assign(rows_.back().cells + rows_.back().size(), {unreachable, Edit::none});
  for (size_t column = 0; column < width; ++column)
    cells_[column] = {static_cast<int>(column), Edit::insert};
}

int EditDistance::edits(std::u32string_view hypothesis) {
  std::pair<size_t, size_t> changed = {0, hypothesis.size()};
  if (hypothesis.size() == hypothesis_.size())
    changed = difference(hypothesis, hypothesis_);
  else
    lay_out(hypothesis.size());
  hypothesis_ = hypothesis;
  // After the words that differ, one unchanged row means that all further rows are unchanged.
  const auto [begin, end] = changed;
  for (size_t row = begin + 1; row <= hypothesis.size(); ++row)
    if (const bool as_before = fill_row(row); as_before && row >= end) break;
  int found = cells_.back().cost;
  for (const Row& row : rows_) found += row.rise;
  return found;
}

// Whether the cells are unchanged.
bool EditDistance::fill_row(size_t row) {
  filling_.clear();
  int least = unreachable;
  for (size_t column = rows_[row].first; column < rows_[row].last; ++column) {
    filling_.push_back(cheapest(row, column));
    least = std::min(least, filling_.back().cost);
  }
  for (Cell& filled : filling_)
    if (filled.cost < unreachable) filled.cost -= least;
  rows_[row].rise = least;
  const std::span<Cell> cells = std::span(cells_).subspan(rows_[row].cells, rows_[row].size());
  const bool as_before = std::ranges::equal(filling_, cells);
  std::ranges::copy(filling_, cells.begin());
  return as_before;
}

// Ties are broken in this order: keep or replace, then delete, then insert. Costs count from the
// cheapest cell of the previous row.
EditDistance::Cell EditDistance::cheapest(size_t row, size_t column) const {
  const Cell remove{cell(row - 1, column).cost + 1, Edit::remove};
  if (column == 0) return remove;
  const bool equal = hypothesis_[row - 1] == reference_[column - 1];
  const int before = cell(row - 1, column - 1).cost;
  const int left = filling_.empty() ? unreachable : filling_.back().cost;
  Cell best = {unreachable, Edit::none};
  for (const Cell& edit : {equal ? Cell{before, Edit::keep} : Cell{before + 1, Edit::replace},
                           remove, Cell{left + 1, Edit::insert}})
    if (edit.cost < best.cost) best = edit;
  return best;
}

EditDistance::Cell EditDistance::cell(size_t row, size_t column) const {
  const Row& in = rows_[row];
  if (column < in.first || column >= in.last) return {unreachable, Edit::none};
  return cells_[in.cells + column - in.first];
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
