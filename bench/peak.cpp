#include "peak.h"

#include <cstdint>

#include "heed/runs/machine_peak.h"

namespace heed::bench {

double peak_flops() { return heed::peak_flops(); }

double clock_rate() {
  // Many short runs: a busy machine interrupts each long one.
  const int64_t rounds = 20'000;
  const double seconds = best_seconds(200, [&] {
    uint64_t x = 3;
    for (int64_t i = 0; i < rounds; ++i)
      for (int k = 0; k < 8; ++k) {
        x *= x;
        asm volatile("" : "+r"(x));
      }
  });
  return 3.0 * 8.0 * static_cast<double>(rounds) / seconds;
}

}  // namespace heed::bench
