#include "heed/runs/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "heed/base/workers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/runs/machine_peak.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve independent chains hide the latency of the multiply-add on every current core.
double multiply_adds(int64_t rounds) {
  const hn::ScalableTag<float> d;
  using Vector = hn::Vec<decltype(d)>;
  const Vector m = hn::Set(d, 0.999f), c = hn::Set(d, 0.001f);
  // Different starts, or the compiler computes one chain for all.
  const auto start = [&](int i) { return hn::Set(d, static_cast<float>(i)); };
  Vector a0 = start(0), a1 = start(1), a2 = start(2), a3 = start(3), a4 = start(4), a5 = start(5);
  Vector a6 = start(6), a7 = start(7), a8 = start(8), a9 = start(9), a10 = start(10),
         a11 = start(11);
  for (int64_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, m, c), a1 = hn::MulAdd(a1, m, c), a2 = hn::MulAdd(a2, m, c),
    a3 = hn::MulAdd(a3, m, c);
    a4 = hn::MulAdd(a4, m, c), a5 = hn::MulAdd(a5, m, c), a6 = hn::MulAdd(a6, m, c),
    a7 = hn::MulAdd(a7, m, c);
    a8 = hn::MulAdd(a8, m, c), a9 = hn::MulAdd(a9, m, c), a10 = hn::MulAdd(a10, m, c),
    a11 = hn::MulAdd(a11, m, c);
  }
  const Vector sum = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)),
                             hn::Add(hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)),
                                     hn::Add(hn::Add(a8, a9), hn::Add(a10, a11))));
  volatile float kept = hn::GetLane(sum);
  (void)kept;
  return 24.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace heed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed {

HWY_EXPORT(multiply_adds);

double peak_flops() {
  // Many short runs, because a busy machine interrupts each long one.
  constexpr int64_t rounds = 100'000;
  double best = 0;
  for (int run = 0; run < 200; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const double flops = HWY_DYNAMIC_DISPATCH(multiply_adds)(rounds);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, flops / elapsed.count());
  }
  return best;
}

double peak_flops(Workers& workers) {
  std::vector<double> peaks(static_cast<size_t>(workers.count()));
  workers.run(workers.count(), [&](int64_t task, int) { peaks[task] = peak_flops(); });
  double sum = 0;
  for (const double peak : peaks) sum += peak;
  return sum;
}

}  // namespace heed
#endif
