// Weights that other ranks have updated, on their way to a rank that computes already.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>

#include "heed/base/communicator.h"
#include "heed/base/share.h"
#include "heed/training/ownership.h"

namespace heed {

// After an update, each rank has the new weights that it owns. Those of the others come stripe by
// stripe from the front of the array, where forward passes begin, so that a pass need not wait for
// what it uses last.
class WeightArrival {
 public:
  WeightArrival(std::span<float> weights, Communicator& ranks);

  // What this rank owns is new, and what others own is to come.
  void expect();
  bool is_complete() const { return arrived_ == ownership_.numbers(); }

  // Receives what is to come, and sends what others expect. All ranks do this, before they exchange
  // anything else.
  void receive(Waiting waiting);

  // Returns when these numbers are there. By any thread, while another one receives; what that one
  // throws is thrown here, too.
  void wait_for(const Range& numbers);

 private:
  std::span<float> weights_;
  Communicator& ranks_;
  Ownership ownership_;
  std::atomic<int64_t> arrived_;  // numbers, from the front
  std::mutex mutex_;
  std::condition_variable changed_;
  std::exception_ptr failure_;  // guarded by the mutex
};

}  // namespace heed
