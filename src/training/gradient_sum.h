// The sum of the gradients of a step's shards, on one rank or many.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/workers.h"
#include "heed/tensor/tensor.h"
#include "heed/training/ownership.h"
#include "heed/training/shard_tree.h"
#include "heed/training/sparse_gradient.h"

namespace heed {

// How exact the gradients of shards and their sums are. bfloat16 halves what ranks send each other.
// Whatever is added is rounded, also on one rank, so that the result stays the same on any number.
enum class GradientPrecision { float32, bfloat16 };

// Each rank owns some blocks of the gradient (see Ownership). The ranks send their sums of a block
// to its owner, who adds them in the order of the tree. A rank sends and receives about as much as
// the gradient has, however many ranks there are. What is settled leaves while the rest is still
// being computed, stripe after stripe in the order in which backward passes leave them.
//
// A shard may also have a sparse gradient, which is final at the end of the step. Those of all
// shards are added to the sum of the others, in the order of the shards.
class GradientSum {
 public:
  // Of gradients with this many numbers. Backward passes begin with `tables`, see in_order_of_use.
  GradientSum(int64_t numbers, int shards, Workers& workers, Communicator& ranks,
              GradientPrecision precision = GradientPrecision::float32,
              std::span<const Range> tables = {});
  ~GradientSum();
  GradientSum(const GradientSum&) = delete;
  GradientSum& operator=(const GradientSum&) = delete;

  // The shards whose gradients this rank has.
  Range shards() const { return shards_of(ranks_.rank()); }
  Range shards_of(int rank) const { return tree_.shards_of(rank); }
  const Ownership& ownership() const { return ownership_; }

  // A step, in which the ranks find a gradient for each of their shards. It ends with `add` or
  // `abandon`. `sparse` has one for each of all shards, or none; of others' shards the stretches
  // alone. What ranks have to send each other before that is sent by `first`, which runs beside the
  // workers; not if there is only one rank.
  void begin(std::span<Tensor> gradients, std::span<SparseGradient> sparse = {},
             std::function<void()> first = nullptr);
  // These numbers of the gradient of a shard do not change any more, until it is added up. To be
  // told for each number once, or not at all; by any thread.
  void settle(const Range& numbers);
  // Whether it helps to call it.
  bool wants_settled() const { return ranks_.size() > 1; }

  // Adds what the ranks have for each of their shards, and overwrites it. Returns the square of the
  // norm of the sum, to all ranks.
  double add();
  // Ends a step that has failed; nothing, if there is none.
  void abandon() { stop_sending(); }

  // The numbers of the sum in a block that this rank owns. They may be in the gradients that were
  // added.
  std::span<float> owned(const Ownership::Block& block) { return part(0, block); }

  size_t memory() const { return received_.bytes(); }

 private:
  std::span<float> part(int shard, const Ownership::Block& block);
  const SparseGradient& sparse_of(int64_t shard) const;
  void add_own(int64_t block);
  double add_joint(const Ownership::Block& block);
  void send_settled(const std::function<void()>& first);
  void stop_sending();
  void add(std::span<const float> from, std::span<float> into) const;
  void exchange(const std::vector<int>& to, const std::vector<std::span<const float>>& sent,
                const std::vector<int>& from, const std::vector<std::span<float>>& received,
                Waiting waiting) const;
  void exchange_sums(std::span<const int64_t> stripes, Waiting waiting);
  void exchange_rest();
  void exchange_sparse();
  void gather_squares(std::span<double> squares);

  Workers& workers_;
  Communicator& ranks_;
  GradientPrecision precision_;
  ShardTree tree_;
  Ownership ownership_;
  std::vector<ShardAddition> own_additions_, joint_additions_;
  std::span<Tensor> gradients_;
  std::span<SparseGradient> sparse_;
  std::vector<SparseGradient> others_sparse_;  // by shard: what this rank owns of those of others
  Tensor received_;                            // (sums of the other ranks, owned numbers)
  std::vector<int64_t> rows_;  // of these sums in `received_`, by their first shards
  // All blocks, in the order of their owners, and where the blocks of each rank end in this list.
  std::vector<int64_t> by_owner_;
  std::vector<int64_t> ends_;

  std::thread sender_;
  std::exception_ptr failure_;  // of the sender
  std::vector<int64_t> order_;  // of the stripes, as they are sent
  size_t sent_ = 0;             // of these
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::vector<int64_t> unsettled_;  // numbers of each stripe, of all shards of this rank
  bool ending_ = false;
};

}  // namespace heed
