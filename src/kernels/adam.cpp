#include "heed/kernels/adam.h"

#include <cmath>

#include "heed/kernels/reference/adam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/adam.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// One pass over the four arrays: the update is bound by memory, not by arithmetic.
void adam_update_loop(const AdamStep& step, std::span<const float> gradient, std::span<float> first,
                      std::span<float> second, std::span<float> parameter) {
  const Tag d;
  const auto constant = [d](double value) HWY_ATTR { return hn::Set(d, static_cast<float>(value)); };
  const Vector scale = constant(step.gradient_scale);
  const Vector beta1 = constant(step.beta1), rest1 = constant(1.0 - step.beta1);
  const Vector beta2 = constant(step.beta2), rest2 = constant(1.0 - step.beta2);
  const double count = static_cast<double>(step.step);
  const Vector rate = constant(step.rate / (1.0 - std::pow(step.beta1, count)));
  const Vector correction = constant(1.0 / (1.0 - std::pow(step.beta2, count)));
  const Vector epsilon = constant(step.epsilon);
  const Vector shrink = constant(1.0 - step.rate * step.decay);

  const auto update = [&](Vector g, Vector& m, Vector& v, Vector& p) HWY_ATTR {
    g = hn::Mul(g, scale);
    m = hn::MulAdd(beta1, m, hn::Mul(rest1, g));
    v = hn::MulAdd(beta2, v, hn::Mul(rest2, hn::Mul(g, g)));
    const Vector size = hn::Add(hn::Sqrt(hn::Mul(v, correction)), epsilon);
    p = hn::MulSub(p, shrink, hn::Div(hn::Mul(rate, m), size));
  };

  const size_t lanes = hn::Lanes(d), size = parameter.size();
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    Vector m = hn::LoadU(d, first.data() + i), v = hn::LoadU(d, second.data() + i);
    Vector p = hn::LoadU(d, parameter.data() + i);
    update(hn::LoadU(d, gradient.data() + i), m, v, p);
    hn::StoreU(m, d, first.data() + i);
    hn::StoreU(v, d, second.data() + i);
    hn::StoreU(p, d, parameter.data() + i);
  }
  if (const size_t rest = size - i; rest > 0) {
    Vector m = load_first(d, first.data() + i, rest), v = load_first(d, second.data() + i, rest);
    Vector p = load_first(d, parameter.data() + i, rest);
    update(load_first(d, gradient.data() + i, rest), m, v, p);
    store_first(m, d, first.data() + i, rest);
    store_first(v, d, second.data() + i, rest);
    store_first(p, d, parameter.data() + i, rest);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(adam_update_loop);

void adam_update(const AdamStep& step, std::span<const float> gradient, std::span<float> first,
                 std::span<float> second, std::span<float> parameter) {
  HWY_DYNAMIC_DISPATCH(adam_update_loop)(step, gradient, first, second, parameter);
}

void adam_update(const AdamStep& step, std::span<const double> gradient, std::span<double> first,
                 std::span<double> second, std::span<double> parameter) {
  reference::adam_update<double>(step, gradient, first, second, parameter);
}

}  // namespace heed::kernels
#endif
