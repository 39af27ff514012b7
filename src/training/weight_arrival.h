// Weights that other ranks have updated, on their way to a rank that computes already.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "heed/base/communicator.h"
#include "heed/base/share.h"
#include "heed/training/ownership.h"

namespace heed {

// After an update, each rank has the new weights that it owns. Those of the others come stripe by
// stripe in the order in which forward passes use them, so that a pass need not wait for what it
// uses last.
class WeightArrival {
 public:
  // `tables` are ranges of which passes look up rows first, and use all of them last.
  WeightArrival(std::span<float> weights, Communicator& ranks, std::span<const Range> tables = {});

  // What this rank owns is new, and what others own is to come.
  void expect();
  bool is_complete() const { return arrived_ == ownership_.stripes(); }

  // Receives what is to come, and sends what others expect. All ranks do this, before they exchange
  // anything else. `needs` are the stretches of the tables, in ascending order, that each rank
  // needs before all others; the same at all ranks, or nothing at all of them.
  void receive(Waiting waiting, std::span<const std::vector<Range>> needs = {});

  // Returns when these numbers are there. By any thread, while another one receives; what that one
  // throws is thrown here, too.
  void wait_for(const Range& numbers);
  // The same for what this rank needs before all others, which does not change any more then.
  void wait_for_needs();

 private:
  void receive_needs(std::span<const std::vector<Range>> needs, Waiting waiting);
  void receive_stripe(int64_t stripe, Waiting waiting);
  void put(std::span<const float> arrived, const Range& numbers);
  void wait_until(const auto& is_there);

  std::span<float> weights_;
  Communicator& ranks_;
  Ownership ownership_;
  std::vector<int64_t> order_;
  std::vector<Range> needs_;      // of this rank; they have arrived
  std::atomic<int64_t> arrived_;  // stripes
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by the mutex:
  std::vector<bool> is_there_;  // by stripe
  bool has_needs_ = true;
  std::exception_ptr failure_;
};

}  // namespace heed
