// The order in which the gradients of a step's shards are added: in pairs, then pairs of pairs. The
// tree depends on the number of shards alone; ranks only share its additions, so that the sum has
// the same bits on any number of them.
#pragma once

#include <cstddef>
#include <vector>

#include "heed/base/share.h"

namespace heed {

// sums[into] += sums[from]. At first, sums[i] is what shard i has.
struct ShardAddition {
  int into = 0, from = 0;

  bool operator==(const ShardAddition&) const = default;
};

// Each rank has a share of the shards. First it makes all additions between them; then it has a few
// sums left, or one. Whoever has the sums of all ranks makes the other additions.
//
// With 6 shards on 2 ranks:
//
//   0 1 2   3 4 5      rank 0: 0 += 1              and has 0 and 2 left
//   └┬┘ │   │ └┬┘      rank 1: 4 += 5              and has 3 and 4 left
//    │  └─┬─┘  │       together: 2 += 3, 0 += 2, 0 += 4
//    └──┬─┘    │
//       └──┬───┘
class ShardTree {
 public:
  ShardTree(int shards, int ranks);  // at least 1 each

  int shards() const { return shards_; }
  Range shards_of(int rank) const;

  std::vector<ShardAddition> additions_of(int rank) const;
  // The sums that a rank has left, by their first shard.
  const std::vector<int>& sums_of(int rank) const { return sums_[static_cast<size_t>(rank)]; }
  // The last of them gives sums[0].
  std::vector<ShardAddition> joint_additions() const;

 private:
  static constexpr int nobody = -1;
  int owner_of(int shard) const;
  int owner_of(const ShardAddition& addition) const;  // of all shards in the result, or nobody

  int shards_, ranks_;
  std::vector<ShardAddition> additions_;  // all of them
  std::vector<std::vector<int>> sums_;    // of each rank
};

}  // namespace heed
