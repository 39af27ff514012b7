// Lines in, lines out: as many, in order, as soon as they are ready, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace heed {

struct LineCounts {
  int64_t lines = 0;
  int64_t not_utf8 = 0;  // of them
};

// What becomes of some lines: as many.
using LineTransform = std::function<std::vector<std::string>(std::span<const std::string>)>;

// Passes the lines of `in` through `transform` to `out`, in chunks: all that can be read without waiting, few
// at first and more later. Ends at the end of `in`, or when `out` takes no more. Lines may end in CR LF and
// the last one in nothing; what is not UTF-8 becomes U+FFFD.
LineCounts transform_lines(std::istream& in, std::ostream& out, const LineTransform& transform);

}  // namespace heed
