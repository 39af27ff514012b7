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

// Applied to the vectors of a stream in order: keeps some values, scaled, and zeroes the others.
class Drop {
 public:
  HWY_INLINE Drop(double rate, RandomKey key, uint32_t first)
      : threshold_(dropout_threshold(rate)),
        key_(key),
        scale_(hn::Set(Tag(), static_cast<float>(1.0 / (1.0 - rate)))),
        positions_(hn::Iota(words, first)) {}

  HWY_INLINE Vector operator()(Vector v) {
    const Vector kept = vector_keep(Tag(), key_, positions_, threshold_, hn::Mul(v, scale_));
    positions_ = hn::Add(positions_, hn::Set(words, static_cast<uint32_t>(hn::Lanes(words))));
    return kept;
  }

 private:
  static constexpr hn::RebindToUnsigned<Tag> words = {};
  uint32_t threshold_;
  RandomKey key_;
  Vector scale_;
  hn::Vec<hn::RebindToUnsigned<Tag>> positions_;
};

void dropout_loop(std::span<const float> x, std::span<float> y, double rate, RandomKey key,
                  uint32_t first) {
  Drop drop(rate, key, first);
  transform(
      x.size(), y.data(), [&](Vector v) HWY_ATTR { return drop(v); }, x.data());
}

void add_dropped_loop(std::span<const float> x, std::span<const float> update, std::span<float> y,
                      double rate, RandomKey key, uint32_t first) {
  Drop drop(rate, key, first);
  transform(
      x.size(), y.data(), [&](Vector v, Vector u) HWY_ATTR { return hn::Add(v, drop(u)); },
      x.data(), update.data());
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(dropout_loop);
HWY_EXPORT(add_dropped_loop);

void dropout(std::span<const float> x, std::span<float> y, double rate, RandomKey key,
             uint32_t first) {
  HWY_DYNAMIC_DISPATCH(dropout_loop)(x, y, rate, key, first);
}

void dropout(std::span<const double> x, std::span<double> y, double rate, RandomKey key,
             uint32_t first) {
  reference::dropout<double>(x, y, rate, key, first);
}

void add_dropped(std::span<const float> x, std::span<const float> update, std::span<float> y,
                 double rate, RandomKey key, uint32_t first) {
  HWY_DYNAMIC_DISPATCH(add_dropped_loop)(x, update, y, rate, key, first);
}

void add_dropped(std::span<const double> x, std::span<const double> update, std::span<double> y,
                 double rate, RandomKey key, uint32_t first) {
  reference::add_dropped<double>(x, update, y, rate, key, first);
}

}  // namespace heed::kernels
#endif
