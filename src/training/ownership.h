// Which rank owns which numbers of a flat array.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/share.h"

namespace heed {

// The array is cut into stripes, and of each stripe every rank owns a part: whole blocks next to
// each other, and whatever remains for the last rank. So any stretch of the array belongs to all
// ranks about equally, and what travels while a gradient is still being computed keeps all of their
// links busy. What a rank owns is stored part after part.
class Ownership {
 public:
  Ownership(int64_t numbers, int rank, int ranks);
  Ownership(int64_t numbers, const Communicator& ranks)
      : Ownership(numbers, ranks.rank(), ranks.size()) {}

  int64_t numbers() const { return numbers_; }  // of the whole array
  int64_t owned() const { return owned_; }      // by this rank

  int64_t stripes() const { return stripes_; }
  int64_t stripe_with(int64_t number) const;
  Range stripe(int64_t index) const;           // numbers of the array
  Range part(int64_t stripe, int rank) const;  // numbers of the array
  Range stored(int64_t stripe) const;          // where this rank has its part of it

  // The parts of some stretches of the array, in its order, that a rank owns.
  std::vector<Range> parts_within(std::span<const Range> stretches, int rank) const;

  // The blocks that this rank owns, by their places in the array.
  struct Block {
    int64_t index = 0;  // of all blocks
    Range numbers, stored;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  // Completes an array of which each rank has what it owns, or some of its stripes.
  void gather(Communicator& ranks, std::span<float> whole) const {
    gather(ranks, whole, {0, stripes_}, Waiting::busily);
  }
  void gather(Communicator& ranks, std::span<float> whole, const Range& stripes,
              Waiting waiting) const;
  // From an array to what this rank owns of it, and back.
  void take(std::span<const float> whole, std::span<float> owned) const;
  void put_back(std::span<const float> owned, std::span<float> whole) const;
  // What every rank owns of an array that rank 0 has; at the others, `whole` does not count.
  void scatter(Communicator& ranks, std::span<const float> whole, std::span<float> owned) const;

 private:
  int64_t numbers_;
  int rank_, ranks_;
  int64_t stripe_blocks_;  // of each but the last
  int64_t stripes_;
  int64_t owned_ = 0;
  std::vector<Range> stored_;  // by stripe
  std::vector<Block> blocks_;
};

// The stripes in the order in which forward passes need the whole of them: from the front of the
// array, where the first layers are, and then those that have nothing but tables of which passes
// look up rows first. Backward passes leave them in the reverse order.
std::vector<int64_t> in_order_of_use(const Ownership& ownership, std::span<const Range> tables);

}  // namespace heed
