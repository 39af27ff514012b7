#include "heed/training/shard_tree.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

ShardTree::ShardTree(int shards, int ranks) : shards_(shards), ranks_(ranks) {
  require(shards >= 1, "learner: {} shards but at least 1 was expected", shards);
  require(ranks >= 1, "learner: {} ranks but at least 1 was expected", ranks);
  for (int stride = 1; stride < shards; stride *= 2)
    for (int shard = 0; shard + stride < shards; shard += 2 * stride)
      additions_.push_back({shard, shard + stride});
  sums_.resize(static_cast<size_t>(ranks));
  for (int shard = 0; shard < shards; ++shard)
    sums_[static_cast<size_t>(owner_of(shard))].push_back(shard);
  for (const ShardAddition& addition : additions_)
    if (const int owner = owner_of(addition); owner != nobody)
      std::erase(sums_[static_cast<size_t>(owner)], addition.from);
}

Range ShardTree::shards_of(int rank) const { return share_of(shards_, rank, ranks_); }

int ShardTree::owner_of(int shard) const {
  return static_cast<int>(part_with(shard, shards_, ranks_));
}

int ShardTree::owner_of(const ShardAddition& addition) const {
  const int stride = addition.from - addition.into;
  const int last = std::min(addition.from + stride, shards_) - 1;
  const int owner = owner_of(addition.into);
  return owner == owner_of(last) ? owner : nobody;
}

std::vector<ShardAddition> ShardTree::additions_of(int rank) const {
  std::vector<ShardAddition> additions = additions_;
  std::erase_if(additions, [&](const ShardAddition& a) { return owner_of(a) != rank; });
  return additions;
}

std::vector<ShardAddition> ShardTree::joint_additions() const { return additions_of(nobody); }

}  // namespace heed
