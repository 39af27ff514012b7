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

  // Edits that make the hypothesis the reference. Fast if it is as long as the one before and
  // differs from it in a few places that lie together.
  int edits(std::u32string_view hypothesis);

  // How the last hypothesis and the reference lie beside each other.
  struct Alignment {
    std::vector<int64_t> of_reference;  // for each word the hypothesis' word at or before it, or -1
    std::vector<bool> reference_is_wrong;  // for each word: it is edited
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
    int rise;  // from the cheapest cell of the row before to the cheapest of this one

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
