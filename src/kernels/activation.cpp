#include "heed/kernels/activation.h"

#include "heed/kernels/reference/activation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/activation.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void exp_loop(std::span<const float> x, std::span<float> y) {
  transform(
      x.size(), y.data(), [](Vector v) HWY_ATTR { return vector_exp(Tag(), v); }, x.data());
}

template <Activation kind>
void activate_all(std::span<const float> x, std::span<float> y) {
  transform(
      x.size(), y.data(), [](Vector v) HWY_ATTR { return vector_activate<kind>(Tag(), v); },
      x.data());
}

void activate_loop(Activation kind, std::span<const float> x, std::span<float> y) {
  switch (kind) {
    case Activation::identity:
      return activate_all<Activation::identity>(x, y);
    case Activation::relu:
      return activate_all<Activation::relu>(x, y);
    case Activation::tanh:
      return activate_all<Activation::tanh>(x, y);
    case Activation::sigmoid:
      return activate_all<Activation::sigmoid>(x, y);
    case Activation::gelu:
      return activate_all<Activation::gelu>(x, y);
    case Activation::swish:
      return activate_all<Activation::swish>(x, y);
  }
}

template <Activation kind>
void activate_all_backward(std::span<const float> x, std::span<const float> dy,
                           std::span<float> dx) {
  const auto gradient = [](Vector v, Vector dv)
                            HWY_ATTR { return vector_activate_backward<kind>(Tag(), v, dv); };
  transform(x.size(), dx.data(), gradient, x.data(), dy.data());
}

void activate_backward_loop(Activation kind, std::span<const float> x, std::span<const float> dy,
                            std::span<float> dx) {
  switch (kind) {
    case Activation::identity:
      return activate_all_backward<Activation::identity>(x, dy, dx);
    case Activation::relu:
      return activate_all_backward<Activation::relu>(x, dy, dx);
    case Activation::tanh:
      return activate_all_backward<Activation::tanh>(x, dy, dx);
    case Activation::sigmoid:
      return activate_all_backward<Activation::sigmoid>(x, dy, dx);
    case Activation::gelu:
      return activate_all_backward<Activation::gelu>(x, dy, dx);
    case Activation::swish:
      return activate_all_backward<Activation::swish>(x, dy, dx);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(exp_loop);
HWY_EXPORT(activate_loop);
HWY_EXPORT(activate_backward_loop);

void exp(std::span<const float> x, std::span<float> y) { HWY_DYNAMIC_DISPATCH(exp_loop)(x, y); }

void exp(std::span<const double> x, std::span<double> y) { reference::exp<double>(x, y); }

void activate(Activation kind, std::span<const float> x, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(activate_loop)(kind, x, y);
}

void activate(Activation kind, std::span<const double> x, std::span<double> y) {
  reference::activate<double>(kind, x, y);
}

void activate_rows(Activation kind, MatrixView<float> x) {
  if (kind == Activation::identity) return;
  for (int64_t r = 0; r < x.rows; ++r) {
    const std::span<float> row(x.row(r), static_cast<size_t>(x.columns));
    activate(kind, row, row);
  }
}

void activate_backward(Activation kind, std::span<const float> x, std::span<const float> dy,
                       std::span<float> dx) {
  HWY_DYNAMIC_DISPATCH(activate_backward_loop)(kind, x, dy, dx);
}

void activate_backward(Activation kind, std::span<const double> x, std::span<const double> dy,
                       std::span<double> dx) {
  reference::activate_backward<double>(kind, x, dy, dx);
}

}  // namespace heed::kernels
#endif
