// Numbers to test kernels with: awkward sizes, random values, and spans with a canary on either
// side.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/random.h"

namespace heed::testing {

// One, powers of two and their neighbours around every vector width and unrolling, and something
// round.
inline const std::vector<size_t> awkward_sizes = {
    1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 257, 1000};

inline std::vector<float> random_floats(size_t size, uint64_t seed, double deviation = 1.0) {
  Rng rng(seed);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(deviation * rng.normal());
  return values;
}

inline std::vector<double> widened(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// A copy of some floats that starts `offset` elements after an aligned address, and detects writes
// around it.
class GuardedFloats {
 public:
  GuardedFloats(std::span<const float> values, size_t offset)
      : size_(values.size()),
        storage_(guard + offset + values.size() + guard, canary),
        start_(guard + offset) {
    std::copy(values.begin(), values.end(), storage_.begin() + static_cast<ptrdiff_t>(start_));
  }
  GuardedFloats(size_t size, size_t offset)
      : GuardedFloats(std::vector<float>(size, 0.0f), offset) {}

  std::span<float> span() { return std::span(storage_).subspan(start_, size_); }
  std::span<const float> view() const { return std::span(storage_).subspan(start_, size_); }

  bool intact() const {
    const auto untouched = [](float value) { return value == canary; };
    const std::span<const float> all = storage_;
    return std::ranges::all_of(all.first(start_), untouched) &&
           std::ranges::all_of(all.subspan(start_ + size_), untouched);
  }

 private:
  static constexpr size_t guard = 16;
  static constexpr float canary = -12345.0f;
  size_t size_;
  std::vector<float> storage_;
  size_t start_;
};

}  // namespace heed::testing
