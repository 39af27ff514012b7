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

// One pass over the four arrays: the update is bound by memory, not by arithmetic.
void adam_update_loop(const AdamStep& step, std::span<const float> gradient, std::span<float> first,
                      std::span<float> second, std::span<float> parameter) {
  const Tag d;
  const auto constant = [d](double value)
                            HWY_ATTR { return hn::Set(d, static_cast<float>(value)); };
  const Vector scale = constant(step.gradient_scale);
  const Vector beta1 = constant(step.beta1), rest1 = constant(1.0 - step.beta1);
  const Vector beta2 = constant(step.beta2), rest2 = constant(1.0 - step.beta2);
  const double count = static_cast<double>(step.step);
  const Vector learning_rate = constant(step.learning_rate / (1.0 - std::pow(step.beta1, count)));
  const Vector correction = constant(1.0 / (1.0 - std::pow(step.beta2, count)));
  const Vector epsilon = constant(step.epsilon);
  const Vector shrink = constant(1.0 - step.learning_rate * step.decay);

  for_each_vector(parameter.size(), [&](auto at) HWY_ATTR {
    const Vector g = hn::Mul(at.load(gradient.data()), scale);
    const Vector m = hn::MulAdd(beta1, at.load(first.data()), hn::Mul(rest1, g));
    const Vector v = hn::MulAdd(beta2, at.load(second.data()), hn::Mul(rest2, hn::Mul(g, g)));
    const Vector size = hn::Add(hn::Sqrt(hn::Mul(v, correction)), epsilon);
    const Vector p = at.load(parameter.data());
    at.store(m, first.data());
    at.store(v, second.data());
    at.store(hn::MulSub(p, shrink, hn::Div(hn::Mul(learning_rate, m), size)), parameter.data());
  });
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
