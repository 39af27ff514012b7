#include "heed/training/weight_arrival.h"

namespace heed {

WeightArrival::WeightArrival(std::span<float> weights, Communicator& ranks)
    : weights_(weights),
      ranks_(ranks),
      ownership_(static_cast<int64_t>(weights.size()), ranks),
      arrived_(ownership_.numbers()) {}

void WeightArrival::expect() {
  if (ranks_.size() > 1) arrived_ = 0;
}

void WeightArrival::receive(Waiting waiting) {
  try {
    while (!is_complete()) {
      const int64_t stripe = ownership_.stripe_with(arrived_);
      ownership_.gather(ranks_, weights_, {stripe, stripe + 1}, waiting);
      const std::lock_guard lock(mutex_);
      arrived_ = ownership_.stripe(stripe).end;
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
    throw;
  }
}

void WeightArrival::wait_for(const Range& numbers) {
  if (arrived_ >= numbers.end) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return failure_ || arrived_ >= numbers.end; });
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace heed
