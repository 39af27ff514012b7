// The edit distance between sentences of numbered words as the tools for TER compute it: in a band around the
// diagonal, with a preference among equal edits that decides which words count as aligned.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class EditDistance {
 public:
  explicit EditDistance(std::u32string_view reference);

  // Edits that make the hypothesis the reference. Fast if it begins like the one before.
  int edits(std::u32string_view hypothesis);

  // How the last hypothesis and the reference lie beside each other.
  struct Alignment {
    std::vector<int64_t> of_reference;     // for each word the hypothesis' word at or before it, or -1
    std::vector<bool> reference_is_wrong;  // for each word: it is edited
    std::vector<bool> hypothesis_is_wrong;
  };
  Alignment alignment() const;

 private:
  enum class Edit : uint8_t { none, keep, replace, insert, remove };
  struct Cell {
    int cost;
    Edit last;
  };

  Cell& cell(size_t row, size_t column) { return cells_[row * width_ + column]; }
  const Cell& cell(size_t row, size_t column) const { return cells_[row * width_ + column]; }
  void fill_row(size_t row);
  Cell cheapest(size_t row, size_t column) const;

  std::u32string reference_;
  std::u32string hypothesis_;
  size_t width_;             // columns: one more than the reference has words
  std::vector<Cell> cells_;  // a row for each beginning of the hypothesis
};

}  // namespace heed
