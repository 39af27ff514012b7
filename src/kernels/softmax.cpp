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

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// Highest lane of a row; -infinity for an empty one.
HWY_INLINE float row_maximum(const float* x, size_t size) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const Vector lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  Vector highest0 = lowest, highest1 = lowest;
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    highest0 = hn::Max(highest0, hn::LoadU(d, x + i));
    highest1 = hn::Max(highest1, hn::LoadU(d, x + i + lanes));
  }
  for (; i + lanes <= size; i += lanes) highest0 = hn::Max(highest0, hn::LoadU(d, x + i));
  if (i < size) highest1 = hn::Max(highest1, load_first_or(lowest, d, x + i, size - i));
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(highest0, highest1)));
}

// y = exp(x - shift); returns the sum of y.
HWY_INLINE float shifted_exp(const float* x, float* y, size_t size, float shift) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const Vector shifts = hn::Set(d, shift), lowest = hn::Set(d, -std::numeric_limits<float>::infinity());
  Vector sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    const Vector e = vector_exp_below_88(d, hn::Sub(hn::LoadU(d, x + i), shifts));
    hn::StoreU(e, d, y + i);
    sum = hn::Add(sum, e);
  }
  if (i < size) {
    // The lanes behind the row are exp(-infinity) = 0 and leave the sum alone.
    const Vector e = vector_exp_below_88(d, hn::Sub(load_first_or(lowest, d, x + i, size - i), shifts));
    store_first(e, d, y + i, size - i);
    sum = hn::Add(sum, e);
  }
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

void softmax_loop(std::span<const float> x, std::span<float> y, int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  for (size_t row = 0; row < x.size(); row += width) {
    const float highest = row_maximum(x.data() + row, width);
    // Softmax ignores a constant shift; subtracting the row's maximum keeps exp from overflowing. A row of
    // nothing but -infinity must not be shifted by it: it would read -infinity + infinity.
    const float shift = highest == -std::numeric_limits<float>::infinity() ? 0.0f : highest;
    float* out = y.data() + row;
    const float sum = shifted_exp(x.data() + row, out, width, shift);
    const Vector inverse = hn::Set(Tag(), sum == 0.0f ? 0.0f : 1.0f / sum);
    const float* from = out;
    transform(
        width, out, [=](Vector e) HWY_ATTR { return hn::Mul(e, inverse); }, from);
  }
}

HWY_INLINE float row_dot(const float* a, const float* b, size_t size) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vector sum0 = hn::Zero(d), sum1 = sum0;
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), sum1);
  }
  for (; i + lanes <= size; i += lanes) sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
  if (i < size) sum1 = hn::MulAdd(load_first(d, a + i, size - i), load_first(d, b + i, size - i), sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

void softmax_backward_loop(std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                           int64_t columns) {
  const size_t width = static_cast<size_t>(columns);
  for (size_t row = 0; row < y.size(); row += width) {
    const Vector mean = hn::Set(Tag(), row_dot(y.data() + row, dy.data() + row, width));
    transform(
        width, dx.data() + row,
        [=](Vector vy, Vector vdy) HWY_ATTR { return hn::Mul(vy, hn::Sub(vdy, mean)); }, y.data() + row,
        dy.data() + row);
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
