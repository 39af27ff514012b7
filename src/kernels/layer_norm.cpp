#include "heed/kernels/layer_norm.h"

#include <cmath>

#include "heed/kernels/reference/layer_norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/layer_norm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

struct Moments {
  float mean;
  float variance;
};

// The deviations are squared in a second pass: the difference of two large sums would lose the variance of a
// row far from zero.
HWY_INLINE Moments row_moments(const float* x, size_t depth) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const float share = 1.0f / static_cast<float>(depth);
  Vector sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  size_t i = 0;
  for (; i + 4 * lanes <= depth; i += 4 * lanes) {
    sum0 = hn::Add(sum0, hn::LoadU(d, x + i));
    sum1 = hn::Add(sum1, hn::LoadU(d, x + i + lanes));
    sum2 = hn::Add(sum2, hn::LoadU(d, x + i + 2 * lanes));
    sum3 = hn::Add(sum3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= depth; i += lanes) sum0 = hn::Add(sum0, hn::LoadU(d, x + i));
  if (i < depth) sum1 = hn::Add(sum1, load_first(d, x + i, depth - i));
  const Vector mean =
      hn::Mul(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))), hn::Set(d, share));

  const auto squared = [=](Vector deviation, Vector sum)
                           HWY_ATTR { return hn::MulAdd(deviation, deviation, sum); };
  sum0 = sum1 = sum2 = sum3 = hn::Zero(d);
  for (i = 0; i + 4 * lanes <= depth; i += 4 * lanes) {
    sum0 = squared(hn::Sub(hn::LoadU(d, x + i), mean), sum0);
    sum1 = squared(hn::Sub(hn::LoadU(d, x + i + lanes), mean), sum1);
    sum2 = squared(hn::Sub(hn::LoadU(d, x + i + 2 * lanes), mean), sum2);
    sum3 = squared(hn::Sub(hn::LoadU(d, x + i + 3 * lanes), mean), sum3);
  }
  for (; i + lanes <= depth; i += lanes) sum0 = squared(hn::Sub(hn::LoadU(d, x + i), mean), sum0);
  if (i < depth) sum1 = squared(hn::Sub(load_first_or(mean, d, x + i, depth - i), mean), sum1);
  const Vector sum = hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)));
  return {hn::GetLane(mean), hn::GetLane(sum) * share};
}

void layer_norm_loop(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                     float epsilon, std::span<float> y, std::span<float> means,
                     std::span<float> inverse_deviations) {
  const Tag d;
  const size_t depth = gain.size();
  for (size_t row = 0; row < means.size(); ++row) {
    const auto [mean, variance] = row_moments(x.data() + row * depth, depth);
    means[row] = mean;
    inverse_deviations[row] = 1.0f / std::sqrt(variance + epsilon);
    const Vector centre = hn::Set(d, mean), scale = hn::Set(d, inverse_deviations[row]);
    const auto normalise = [=](Vector v, Vector g, Vector b)
                               HWY_ATTR { return hn::MulAdd(hn::Mul(hn::Sub(v, centre), scale), g, b); };
    transform(depth, y.data() + row * depth, normalise, x.data() + row * depth, gain.data(), bias.data());
  }
}

// With n = (x - mean) / deviation and g = dy gain: dx = (g - mean(g) - n mean(g n)) / deviation.
// The means are taken in one pass over the row; a second writes dx and adds to dgain and dbias.
HWY_INLINE void backward_row(const float* x, const float* gain, float mean, float inverse_deviation,
                             const float* dy, float* dx, float* dgain, float* dbias, size_t depth) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const Vector centre = hn::Set(d, mean), scale = hn::Set(d, inverse_deviation);
  const Vector share = hn::Set(d, 1.0f / static_cast<float>(depth));
  Vector sum_g = hn::Zero(d), sum_gn = hn::Zero(d);
  const auto add_to_sums = [&](Vector vx, Vector vgain, Vector vdy) HWY_ATTR {
    const Vector g = hn::Mul(vdy, vgain);
    sum_g = hn::Add(sum_g, g);
    sum_gn = hn::MulAdd(g, hn::Mul(hn::Sub(vx, centre), scale), sum_gn);
  };
  size_t i = 0;
  for (; i + lanes <= depth; i += lanes)
    add_to_sums(hn::LoadU(d, x + i), hn::LoadU(d, gain + i), hn::LoadU(d, dy + i));
  if (const size_t rest = depth - i; rest > 0)
    add_to_sums(load_first(d, x + i, rest), load_first(d, gain + i, rest), load_first(d, dy + i, rest));
  const Vector mean_g = hn::Mul(hn::SumOfLanes(d, sum_g), share);
  const Vector mean_gn = hn::Mul(hn::SumOfLanes(d, sum_gn), share);

  const auto gradient = [&](Vector vx, Vector vgain, Vector vdy, Vector& vdgain, Vector& vdbias) HWY_ATTR {
    const Vector n = hn::Mul(hn::Sub(vx, centre), scale);
    vdgain = hn::MulAdd(vdy, n, vdgain);
    vdbias = hn::Add(vdbias, vdy);
    return hn::Mul(hn::NegMulAdd(n, mean_gn, hn::MulSub(vdy, vgain, mean_g)), scale);
  };
  for (i = 0; i + lanes <= depth; i += lanes) {
    Vector vdgain = hn::LoadU(d, dgain + i), vdbias = hn::LoadU(d, dbias + i);
    const Vector vdx =
        gradient(hn::LoadU(d, x + i), hn::LoadU(d, gain + i), hn::LoadU(d, dy + i), vdgain, vdbias);
    hn::StoreU(vdgain, d, dgain + i);
    hn::StoreU(vdbias, d, dbias + i);
    hn::StoreU(vdx, d, dx + i);
  }
  if (const size_t rest = depth - i; rest > 0) {
    Vector vdgain = load_first(d, dgain + i, rest), vdbias = load_first(d, dbias + i, rest);
    const Vector vdx = gradient(load_first(d, x + i, rest), load_first(d, gain + i, rest),
                                load_first(d, dy + i, rest), vdgain, vdbias);
    store_first(vdgain, d, dgain + i, rest);
    store_first(vdbias, d, dbias + i, rest);
    store_first(vdx, d, dx + i, rest);
  }
}

void layer_norm_backward_loop(std::span<const float> x, std::span<const float> gain,
                              std::span<const float> means, std::span<const float> inverse_deviations,
                              std::span<const float> dy, std::span<float> dx, std::span<float> dgain,
                              std::span<float> dbias) {
  const size_t depth = gain.size();
  for (size_t row = 0; row < means.size(); ++row)
    backward_row(x.data() + row * depth, gain.data(), means[row], inverse_deviations[row],
                 dy.data() + row * depth, dx.data() + row * depth, dgain.data(), dbias.data(), depth);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(layer_norm_loop);
HWY_EXPORT(layer_norm_backward_loop);

void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> y, std::span<float> means,
                std::span<float> inverse_deviations) {
  HWY_DYNAMIC_DISPATCH(layer_norm_loop)(x, gain, bias, epsilon, y, means, inverse_deviations);
}

void layer_norm(std::span<const double> x, std::span<const double> gain, std::span<const double> bias,
                double epsilon, std::span<double> y, std::span<double> means,
                std::span<double> inverse_deviations) {
  reference::layer_norm<double>(x, gain, bias, epsilon, y, means, inverse_deviations);
}

void layer_norm_backward(std::span<const float> x, std::span<const float> gain, std::span<const float> means,
                         std::span<const float> inverse_deviations, std::span<const float> dy,
                         std::span<float> dx, std::span<float> dgain, std::span<float> dbias) {
  HWY_DYNAMIC_DISPATCH(layer_norm_backward_loop)(x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

void layer_norm_backward(std::span<const double> x, std::span<const double> gain,
                         std::span<const double> means, std::span<const double> inverse_deviations,
                         std::span<const double> dy, std::span<double> dx, std::span<double> dgain,
                         std::span<double> dbias) {
  reference::layer_norm_backward<double>(x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

}  // namespace heed::kernels
#endif
