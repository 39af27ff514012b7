// The edit distance between sentences of numbered words as the tools for TER compute it: in a band
// around the diagonal, with a preference among equal edits that decides which words count as
// aligned. Only the band is kept, so time and memory grow with the sum of the lengths, not with
// their product.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

class EditDistance {
 public:
  explicit EditDistance(std::u32string_view reference);

  // Edits that turn the hypothesis into the reference. Fast if it is as long as the previous one
  // and differs from it only in a short range.
  int edits(std::u32string_view hypothesis);

  // The alignment of the last hypothesis and the reference.
  struct Alignment {
    // For each word, the hypothesis' word at or before it, or -1.
    std::vector<int64_t> of_reference;
    std::vector<bool> reference_is_wrong;  // for each word, whether it is edited
    std::vector<bool> hypothesis_is_wrong;
  };
  Alignment alignment() const;

 private:
  enum class Edit : uint8_t { none, keep, replace, insert, remove };
  struct Cell {
    int cost;  // of its row's cheapest cell: 0
    Edit last;
    bool operator==(const Cell&) const = default;
  };
  // The columns [first, last) of a row that lie in the band; their cells begin at `cells`.
  struct Row {
    size_t first, last;
    size_t cells;
    int rise;  // from the cheapest cell of the previous row to the cheapest of this one

    size_t size() const { return last - first; }
  };

  void lay_out(size_t words);
  bool fill_row(size_t row);
  Cell cheapest(size_t row, size_t column) const;
  Cell cell(size_t row, size_t column) const;

  std::u32string reference_;
  std::u32string hypothesis_;
  std::vector<Row> rows_;  // one for each beginning of the hypothesis
  std::vector<Cell> cells_;
  std::vector<Cell> filling_;  // the row that is being filled
};

}  // namespace heed
