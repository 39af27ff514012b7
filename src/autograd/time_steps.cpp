#include "heed/autograd/time_steps.h"

#include <algorithm>
#include <numeric>

namespace heed {

TimeSteps::TimeSteps(const Ragged& layout)
    : layout_(layout),
      sequences_(static_cast<size_t>(layout.sequences())),
      firsts_(static_cast<size_t>(layout.longest()) + 1) {
  std::iota(sequences_.begin(), sequences_.end(), 0);
  std::ranges::stable_sort(sequences_, std::greater(), [&](int64_t s) { return layout.length(s); });
  int64_t running = layout.sequences();
  for (int64_t step = 0; step < steps(); ++step) {
    while (layout.length(sequence(running - 1)) <= step) --running;
    firsts_[static_cast<size_t>(step) + 1] = first(step) + running;
  }
}

int64_t TimeSteps::token(int64_t step, int64_t rank, Direction direction) const {
  const int64_t s = sequence(rank);
  switch (direction) {
    case Direction::forward:
      return layout_.begin(s) + step;
    case Direction::reverse:
      return layout_.end(s) - 1 - step;
  }
  __builtin_unreachable();
}

}  // namespace heed
