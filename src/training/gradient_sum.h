// The sum of the gradients of a step's shards, on one rank or many.
#pragma once

#include <span>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/workers.h"
#include "heed/tensor/tensor.h"
#include "heed/training/shard_tree.h"

namespace heed {

// Each rank owns some blocks of the gradient (see owned_numbers). The ranks send their sums of a
// block to its owner, who adds them in the order of the tree. A rank sends and receives about as
// much as the gradient has, however many ranks there are.
class GradientSum {
 public:
  // Of gradients with this many numbers.
  GradientSum(int64_t numbers, int shards, Workers& workers, Communicator& ranks);

  // The shards whose gradients this rank has.
  Range shards() const { return tree_.shards_of(ranks_.rank()); }

  // Adds what the ranks have for each of their shards, and overwrites it. Returns the square of the
  // norm of the sum, to all ranks.
  double add(std::span<Tensor> gradients);

  // The numbers of the sum that this rank owns. They may be in the gradients that were added.
  std::span<float> owned() const { return sums_[0]; }

  size_t memory() const { return received_.bytes(); }

 private:
  void point_to_sums(std::span<Tensor> gradients);
  void exchange_sums(std::span<Tensor> gradients);

  int64_t numbers_;
  Workers& workers_;
  Communicator& ranks_;
  ShardTree tree_;
  std::vector<ShardAddition> own_additions_, joint_additions_;
  Tensor received_;                     // (sums of the other ranks, owned numbers)
  std::vector<std::span<float>> sums_;  // of shards, where they exist: the owned numbers
};

}  // namespace heed
