#include "heed/kernels/softmax.h"

#include <limits>

#include "heed/kernels/reference/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/softmax.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE float row_maximum(const float* x, size_t size) {
  const Tag d;
  const auto higher = [](Vector a, Vector b) HWY_ATTR { return hn::Max(a, b); };
  const Vector lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  return hn::GetLane(hn::MaxOfLanes(d, fold(size, lowest, higher, higher, x)));
}

// y = exp(x - shift), where x - shift <= 0; returns the sum of y.
HWY_INLINE float shifted_exp(const float* x, float* y, size_t size, float shift) {
  const Tag d;
  const Vector shifts = hn::Set(d, shift);
  Vector sum = hn::Zero(d);
  for_each_vector(size, [&](auto at) HWY_ATTR {
    const Vector e = at.only(vector_exp_below_88(d, hn::Sub(at.load(x), shifts)));
    at.store(e, y);
    sum = hn::Add(sum, e);
  });
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void softmax_loop(std::span<const float> x, std::span<float> y, int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  for (size_t row = 0; row < x.size(); row += width) {
    const float highest = row_maximum(x.data() + row, width);
    // Softmax ignores a constant shift; subtracting the row's maximum keeps exp from overflowing. A
    // row of nothing but -infinity must not be shifted by it: it would read -infinity + infinity.
    const float shift = highest == -std::numeric_limits<float>::infinity() ? 0.0f : highest;
    float* out = y.data() + row;
    const float sum = shifted_exp(x.data() + row, out, width, shift);
    const Vector inverse = hn::Set(Tag(), sum == 0.0f ? 0.0f : 1.0f / sum);
    transform(
        width, out, [=](Vector e) HWY_ATTR { return hn::Mul(e, inverse); }, out);
  }
}

void softmax_backward_loop(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                           int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  const auto add_product = [](Vector sum, Vector vy, Vector vdy)
                               HWY_ATTR { return hn::MulAdd(vy, vdy, sum); };
  for (size_t row = 0; row < y.size(); row += width) {
    const float *row_y = y.data() + row, *row_dy = dy.data() + row;
    const Vector mean = sum_of(width, add_product, row_y, row_dy);
    const auto gradient = [=](Vector vy, Vector vdy)
                              HWY_ATTR { return hn::Mul(vy, hn::Sub(vdy, mean)); };
    transform(width, dx.data() + row, gradient, row_y, row_dy);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(softmax_loop);
HWY_EXPORT(softmax_backward_loop);

void softmax(std::span<const float> x, std::span<float> y, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(softmax_loop)(x, y, columns);
}

void softmax(std::span<const double> x, std::span<double> y, int64_t columns) {
  reference::softmax<double>(x, y, columns);
}

void softmax_backward(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                      int64_t columns) {
  HWY_DYNAMIC_DISPATCH(softmax_backward_loop)(y, dy, dx, columns);
}

void softmax_backward(std::span<const double> y, std::span<const double> dy, std::span<double> dx,
                      int64_t columns) {
  reference::softmax_backward<double>(y, dy, dx, columns);
}

}  // namespace heed::kernels
#endif
