// The measured peak of this machine, which every benchmark is compared with.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

namespace heed::bench {

// Best of several runs of the widest multiply-adds, all in registers, on one thread; in flop per
// second.
double peak_flops();

// Clock cycles per second, from a chain of dependent integer multiplications (three cycles each on
// x86-64 and ARM).
double clock_rate();

// The peak around a measurement: the higher of what `measure_peak` finds before and after it,
// because the clock of a busy machine changes by the second. The value after one measurement is
// reused for the next.
class PeakAround {
 public:
  explicit PeakAround(std::function<double()> measure_peak)
      : measure_peak_(std::move(measure_peak)), before_(measure_peak_()) {}

  // Of what was measured since the last call.
  double last() {
    const double after = measure_peak_();
    return std::max(std::exchange(before_, after), after);
  }

 private:
  std::function<double()> measure_peak_;
  double before_;
};

// The shortest of `repeats` timed calls, in seconds.
template <typename Run>
double best_seconds(int repeats, Run&& run) {
  double best = 1e30;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (elapsed.count() < best) best = elapsed.count();
  }
  return best;
}

}  // namespace heed::bench
