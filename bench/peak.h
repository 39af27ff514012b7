// What this machine can do at best, measured: the yardstick of every benchmark.
#pragma once

#include <chrono>

namespace heed::bench {

// Best of several runs of the widest multiply-adds, all in registers, on one thread; in flop per second.
double peak_flops();

// Clock cycles per second, from a chain of dependent integer multiplications (three cycles each on x86-64 and
// ARM).
double clock_rate();

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
