// The blocks in which flat arrays of weights, gradients and moments are processed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "heed/base/round_up.h"
#include "heed/base/share.h"

namespace heed {

// Their number and order do not depend on workers or ranks, so neither do sums over them.
constexpr int64_t block_size = 1 << 14;

inline int64_t blocks_of(int64_t numbers) { return divide_up(numbers, block_size); }

template <typename T>
std::span<T> block_of(std::span<T> flat, int64_t index) {
  const size_t begin = static_cast<size_t>(index * block_size);
  return flat.subspan(begin, std::min(static_cast<size_t>(block_size), flat.size() - begin));
}

// A range of numbers of a flat array.
template <typename T>
std::span<T> part_of(std::span<T> flat, const Range& range) {
  return flat.subspan(static_cast<size_t>(range.begin), static_cast<size_t>(range.size()));
}

}  // namespace heed
