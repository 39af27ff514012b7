// Sets of characters, as sorted ranges.
#pragma once

#include <algorithm>
#include <span>

namespace heed {

struct CharacterRange {
  char32_t first;
  char32_t last;
};

inline bool within(std::span<const CharacterRange> ranges, char32_t character) {
  const auto range =
      std::lower_bound(ranges.begin(), ranges.end(), character,
                       [](const CharacterRange& r, char32_t c) { return r.last < c; });
  return range != ranges.end() && range->first <= character;
}

}  // namespace heed
