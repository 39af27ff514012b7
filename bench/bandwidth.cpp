#include "bandwidth.h"

#include <algorithm>
#include <cstdint>

#include "heed/base/memory.h"
#include "peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bandwidth.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Four sums, so that no load waits for an addition.
uint64_t sum_of(const uint64_t* numbers, size_t count) {
  const hn::ScalableTag<uint64_t> d;
  const size_t lanes = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (size_t i = 0; i + 4 * lanes <= count; i += 4 * lanes) {
    a = hn::Add(a, hn::LoadU(d, numbers + i));
    b = hn::Add(b, hn::LoadU(d, numbers + i + lanes));
    c = hn::Add(c, hn::LoadU(d, numbers + i + 2 * lanes));
    e = hn::Add(e, hn::LoadU(d, numbers + i + 3 * lanes));
  }
  return hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
}

}  // namespace heed::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::bench {

HWY_EXPORT(sum_of);

double read_bandwidth(size_t bytes) {
  const size_t count = bytes / sizeof(uint64_t);
  const Memory memory = allocate_memory(count * sizeof(uint64_t));  // on large pages
  auto* const numbers = reinterpret_cast<uint64_t*>(memory.get());
  std::fill_n(numbers, count, 1);
  constexpr int rounds = 20;
  const double seconds = best_seconds(rounds, [&] {
    volatile uint64_t kept = HWY_DYNAMIC_DISPATCH(sum_of)(numbers, count);
    (void)kept;
  });
  return static_cast<double>(count * sizeof(uint64_t)) / seconds;
}

}  // namespace heed::bench
#endif
