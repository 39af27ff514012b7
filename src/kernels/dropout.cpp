#include "heed/kernels/dropout.h"

#include "heed/kernels/reference/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/dropout.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void dropout_loop(std::span<const float> x, std::span<float> y, double rate, RandomKey key, uint32_t first) {
  const Tag d;
  const hn::RebindToUnsigned<Tag> words;
  const uint32_t threshold = dropout_threshold(rate);
  const Vector scale = hn::Set(d, static_cast<float>(1.0 / (1.0 - rate)));
  const auto next = hn::Set(words, static_cast<uint32_t>(hn::Lanes(words)));
  auto positions = hn::Iota(words, first);
  const auto drop = [&](Vector v) HWY_ATTR {
    const Vector kept = vector_keep(d, key, positions, threshold, hn::Mul(v, scale));
    positions = hn::Add(positions, next);
    return kept;
  };
  transform(x.size(), y.data(), drop, x.data());
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(dropout_loop);

void dropout(std::span<const float> x, std::span<float> y, double rate, RandomKey key, uint32_t first) {
  HWY_DYNAMIC_DISPATCH(dropout_loop)(x, y, rate, key, first);
}

void dropout(std::span<const double> x, std::span<double> y, double rate, RandomKey key, uint32_t first) {
  reference::dropout<double>(x, y, rate, key, first);
}

}  // namespace heed::kernels
#endif
