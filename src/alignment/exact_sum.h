// A sum that does not depend on the order of its parts, so that threads may add to it as they come.
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

namespace heed {

// Adds whole multiples of 2^-32, which is exact up to 2^31.
class ExactSum {
 public:
  void add(double number) {
    units_.fetch_add(std::llround(number * units_of_one), std::memory_order_relaxed);
  }

  double value() const {
    return static_cast<double>(units_.load(std::memory_order_relaxed)) / units_of_one;
  }

  // What it was; it is 0 from then on.
  double take() {
    return static_cast<double>(units_.exchange(0, std::memory_order_relaxed)) / units_of_one;
  }

 private:
  static constexpr double units_of_one = 4294967296.0;

  std::atomic<int64_t> units_ = 0;
};

}  // namespace heed
