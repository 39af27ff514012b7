// Equal shares of a list.
#pragma once

#include <cstdint>

namespace heed {

// [begin, end) of a list.
struct Range {
  int64_t begin = 0, end = 0;

  int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

// The share of one part: neighbouring elements, in the order of the parts, as many for each as for
// any other, or one more. With more parts than elements, some have none.
constexpr Range share_of(int64_t elements, int64_t part, int64_t parts) {
  return {elements * part / parts, elements * (part + 1) / parts};
}

// The part whose share an element belongs to.
constexpr int64_t part_with(int64_t element, int64_t elements, int64_t parts) {
  return ((element + 1) * parts - 1) / elements;
}

}  // namespace heed
