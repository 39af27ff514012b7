// The rows of tables that the shards of a step look up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/tape.h"
#include "heed/base/share.h"
#include "heed/data/batch.h"
#include "heed/models/model.h"
#include "heed/training/flat_parameters.h"
#include "heed/training/sparse_gradient.h"

namespace heed {

// Of a table of words, a shard looks up few rows. Their gradient is kept apart from that of the
// whole table, which the output layer may have: the whole is then final long before, since backward
// passes begin at the output layer and end where words are looked up. And a rank needs only few
// rows of what others have updated to begin with a step.
class LookedUpRows {
 public:
  // Tables that do not learn do not count.
  LookedUpRows(const PredictingModel& model, const FlatParameters& parameters);

  // The tables' numbers of the flat array, in its order; what touches is one range.
  std::vector<Range> tables() const;

  // A step, with its batches for all shards. Gradients are kept for some of them.
  void begin(std::span<const std::vector<Batch>> batches, const Range& own_shards);

  // By shard; those of other ranks have no numbers, but stretches.
  std::span<SparseGradient> gradients() { return gradients_; }
  // What these shards look up: stretches of the flat array, in ascending order.
  std::vector<Range> rows_of(const Range& shards) const;

  // From now on, what the tape finds for looked-up rows is added to the gradient of this shard.
  void collect(Tape& tape, size_t shard) const;

  size_t memory() const;  // bytes

 private:
  struct Table {
    Tensor values;  // (rows, width)
    Range numbers;  // of the flat array
    Range part;     // the same, with the gap behind it

    int64_t width() const { return values.shape()[1]; }
    Range row(int32_t index) const {
      return {numbers.begin + index * width(), numbers.begin + (index + 1) * width()};
    }
  };
  struct ShardRows {
    std::vector<std::vector<int32_t>> rows;  // of each table, ascending
    std::vector<RowGradient> gradients;      // of each table
  };
  void note_rows(const Batch& batch, ShardRows& shard) const;
  void place_gradients(ShardRows& shard, SparseGradient& gradient, bool own) const;

  const PredictingModel& model_;
  const float* array_;
  std::vector<Table> tables_;  // in the order of the flat array
  std::vector<ShardRows> shards_;
  std::vector<SparseGradient> gradients_;
};

}  // namespace heed
