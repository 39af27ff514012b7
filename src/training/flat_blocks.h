// The blocks in which flat arrays of weights, gradients and moments are processed, and which of
// them a rank owns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/round_up.h"

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

// The numbers of a flat array that a rank owns: whole blocks, and whatever remains for the last.
inline Range owned_numbers(int64_t numbers, int rank, int ranks) {
  const Range blocks = share_of(blocks_of(numbers), rank, ranks);
  return {std::min(blocks.begin * block_size, numbers), std::min(blocks.end * block_size, numbers)};
}

inline Range owned_numbers(int64_t numbers, const Communicator& ranks) {
  return owned_numbers(numbers, ranks.rank(), ranks.size());
}

// Completes a flat array of which each rank has what it owns.
inline void gather_owned(Communicator& ranks, std::span<float> flat) {
  if (ranks.size() == 1) return;
  std::vector<size_t> ends;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const Range owned = owned_numbers(static_cast<int64_t>(flat.size()), rank, ranks.size());
    ends.push_back(static_cast<size_t>(owned.end) * sizeof(float));
  }
  ranks.gather_all(std::as_writable_bytes(flat), ends);
}

}  // namespace heed
