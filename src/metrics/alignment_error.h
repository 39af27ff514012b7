// How well links between words agree with those that people have drawn: precision, recall and the
// alignment error rate (Och and Ney, 2003).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace heed {

// Words are counted from 0.
struct WordLink {
  int64_t source = 0, target = 0;

  auto operator<=>(const WordLink&) const = default;
};

// What people have drawn: links that they are sure of, and links that are possible. Every sure link
// is also a possible one.
struct GoldLinks {
  std::vector<WordLink> sure, possible;  // sorted, each once
};

// A line of Pharaoh's format: "0-0 1p2", source before target, with a `-` for a sure link and a `p`
// for a possible one. `first` is the number of the first word, 0 or 1. An Error quotes what is not
// a link.
GoldLinks parse_gold_links(std::string_view line, int64_t first = 0);

// Sums over sentences.
struct AlignmentCounts {
  int64_t found = 0;           // links that were found
  int64_t sure = 0;            // sure links
  int64_t found_sure = 0;      // found links that are sure
  int64_t found_possible = 0;  // found links that are possible

  AlignmentCounts& operator+=(const AlignmentCounts& other);
  bool operator==(const AlignmentCounts&) const = default;

  // 0 where there is nothing to divide by.
  double precision() const;   // found_possible / found
  double recall() const;      // found_sure / sure
  double error_rate() const;  // 1 - (found_sure + found_possible) / (found + sure)
};

// The same link twice counts once.
AlignmentCounts count_links(std::span<const WordLink> found, const GoldLinks& gold);

}  // namespace heed
