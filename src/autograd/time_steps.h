// The order in which a recurrent layer walks a ragged batch: time step by time step, each with the
// sequences that are still running. Since they are sorted by length, these are always the first
// ones, and the batch shrinks without padding.
#pragma once

#include <cstdint>
#include <vector>

#include "heed/tensor/ragged.h"

namespace heed {

enum class Direction {
  forward,
  reverse
};  // from the first token to the last, or from the last to the first

class TimeSteps {
 public:
  explicit TimeSteps(const Ragged& layout);

  const Ragged& layout() const { return layout_; }
  int64_t steps() const {
    return static_cast<int64_t>(firsts_.size()) - 1;
  }  // the length of the longest sequence
  // Sequences longer than `step`; none at `steps()` itself.
  int64_t running(int64_t step) const {
    return step == steps() ? 0 : first(step + 1) - first(step);
  }
  // Where the rows of a step begin when the rows of all steps are laid end to end.
  int64_t first(int64_t step) const { return firsts_[step]; }
  // The sequence of a rank; rank 0 is the longest. Of equals, the earlier sequence has the lower
  // rank.
  int64_t sequence(int64_t rank) const { return sequences_[rank]; }
  // The token that a running sequence reads at a step.
  int64_t token(int64_t step, int64_t rank, Direction direction) const;

 private:
  Ragged layout_;
  std::vector<int64_t> sequences_;
  std::vector<int64_t> firsts_;
};

}  // namespace heed
