#include "heed/kernels/arithmetic.h"

#include "heed/kernels/reference/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/arithmetic.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void add_loop(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  transform(
      y.size(), y.data(), [](Vector va, Vector vb) HWY_ATTR { return hn::Add(va, vb); }, a.data(),
      b.data());
}

void multiply_loop(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  transform(
      y.size(), y.data(), [](Vector va, Vector vb) HWY_ATTR { return hn::Mul(va, vb); }, a.data(),
      b.data());
}

void add_scaled_loop(float factor, std::span<const float> x, std::span<float> y) {
  const Vector factors = hn::Set(Tag(), factor);
  transform(
      y.size(), y.data(),
      [=](Vector vx, Vector vy) HWY_ATTR { return hn::MulAdd(factors, vx, vy); }, x.data(),
      y.data());
}

void scale_loop(float factor, std::span<const float> x, std::span<float> y) {
  const Vector factors = hn::Set(Tag(), factor);
  transform(
      y.size(), y.data(), [=](Vector vx) HWY_ATTR { return hn::Mul(factors, vx); }, x.data());
}

float dot_loop(std::span<const float> a, std::span<const float> b) {
  const auto add_product = [](Vector sum, Vector va, Vector vb)
                               HWY_ATTR { return hn::MulAdd(va, vb, sum); };
  return hn::GetLane(sum_of(a.size(), add_product, a.data(), b.data()));
}

void add_to_rows_loop(std::span<const float> x, std::span<const float> bias, std::span<float> y) {
  const auto sum = [](Vector vx, Vector vb) HWY_ATTR { return hn::Add(vx, vb); };
  for (size_t row = 0; row < y.size(); row += bias.size())
    transform(bias.size(), y.data() + row, sum, x.data() + row, bias.data());
}

// Four rows at a time, because loading and storing the sums costs more than the addition.
void sum_rows_loop(std::span<const float> x, std::span<float> sums) {
  const size_t columns = sums.size();
  const float* row = x.data();
  size_t rows = columns == 0 ? 0 : x.size() / columns;
  const auto sum4 = [](Vector sum, Vector a, Vector b, Vector c, Vector e)
                        HWY_ATTR { return hn::Add(sum, hn::Add(hn::Add(a, b), hn::Add(c, e))); };
  for (; rows >= 4; rows -= 4, row += 4 * columns)
    transform(columns, sums.data(), sum4, sums.data(), row, row + columns, row + 2 * columns,
              row + 3 * columns);
  for (; rows > 0; --rows, row += columns)
    transform(
        columns, sums.data(), [](Vector sum, Vector a) HWY_ATTR { return hn::Add(sum, a); },
        sums.data(), row);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(add_loop);
HWY_EXPORT(multiply_loop);
HWY_EXPORT(add_scaled_loop);
HWY_EXPORT(scale_loop);
HWY_EXPORT(dot_loop);
HWY_EXPORT(add_to_rows_loop);
HWY_EXPORT(sum_rows_loop);

void add(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(add_loop)(a, b, y);
}

void add(std::span<const double> a, std::span<const double> b, std::span<double> y) {
  reference::add<double>(a, b, y);
}

void multiply(std::span<const float> a, std::span<const float> b, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(multiply_loop)(a, b, y);
}

void multiply(std::span<const double> a, std::span<const double> b, std::span<double> y) {
  reference::multiply<double>(a, b, y);
}

void add_scaled(float scale, std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(add_scaled_loop)(scale, x, y);
}

void add_scaled(double scale, std::span<const double> x, std::span<double> y) {
  reference::add_scaled<double>(scale, x, y);
}

void scale(float factor, std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(scale_loop)(factor, x, y);
}

void scale(double factor, std::span<const double> x, std::span<double> y) {
  reference::scale<double>(factor, x, y);
}

float dot(std::span<const float> a, std::span<const float> b) {
  return HWY_DYNAMIC_DISPATCH(dot_loop)(a, b);
}

double dot(std::span<const double> a, std::span<const double> b) {
  return reference::dot<double>(a, b);
}

void add_to_rows(std::span<const float> x, std::span<const float> bias, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(add_to_rows_loop)(x, bias, y);
}

void add_to_rows(std::span<const double> x, std::span<const double> bias, std::span<double> y) {
  reference::add_to_rows<double>(x, bias, y);
}

void sum_rows(std::span<const float> x, std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(sum_rows_loop)(x, sums);
}

void sum_rows(std::span<const double> x, std::span<double> sums) {
  reference::sum_rows<double>(x, sums);
}

}  // namespace heed::kernels
#endif
