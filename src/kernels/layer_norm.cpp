#include "heed/kernels/layer_norm.h"

#include "heed/kernels/reference/layer_norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/layer_norm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

struct Moments {
  float mean;
  float variance;
};

// The deviations are squared in a second pass: the difference of two large sums would lose the
// variance of a row far from zero.
HWY_INLINE Moments row_moments(const float* x, size_t width) {
  const Tag d;
  const float share = 1.0f / static_cast<float>(width);
  const auto add = [](Vector sum, Vector v) HWY_ATTR { return hn::Add(sum, v); };
  const Vector mean = hn::Mul(sum_of(width, add, x), hn::Set(d, share));
  const auto add_square = [mean](Vector sum, Vector v) HWY_ATTR {
    const Vector deviation = hn::Sub(v, mean);
    return hn::MulAdd(deviation, deviation, sum);
  };
  return {hn::GetLane(mean), hn::GetLane(sum_of(width, add_square, x)) * share};
}

void layer_norm_loop(std::span<const float> x, std::span<const float> gain,
                     std::span<const float> bias, float epsilon, std::span<float> y,
                     std::span<float> means, std::span<float> inverse_deviations) {
  const Tag d;
  const size_t width = gain.size();
  for (size_t row = 0; row < means.size(); ++row) {
    const auto [mean, variance] = row_moments(x.data() + row * width, width);
    means[row] = mean;
    inverse_deviations[row] = reference::inverse_deviation(variance, epsilon);
    const Vector centre = hn::Set(d, mean), scale = hn::Set(d, inverse_deviations[row]);
    const auto normalise = [=](Vector v, Vector g, Vector b) HWY_ATTR {
      return hn::MulAdd(hn::Mul(hn::Sub(v, centre), scale), g, b);
    };
    transform(width, y.data() + row * width, normalise, x.data() + row * width, gain.data(),
              bias.data());
  }
}

struct Means {
  Vector g;
  Vector gn;
};

// With n = (x - mean) / deviation and g = dy gain, the means over a row of g and of g n.
HWY_INLINE Means backward_means(const float* x, const float* gain, const float* dy, size_t width,
                                Vector mean, Vector inverse_deviation) {
  const Tag d;
  Vector sum_g = hn::Zero(d), sum_gn = hn::Zero(d);
  for_each_vector(width, [&](auto at) HWY_ATTR {
    const Vector g = hn::Mul(at.load(dy), at.load(gain));
    sum_g = hn::Add(sum_g, g);
    sum_gn = hn::MulAdd(g, hn::Sub(at.load(x), mean), sum_gn);
  });
  const Vector share = hn::Set(d, 1.0f / static_cast<float>(width));
  return {hn::Mul(hn::SumOfLanes(d, sum_g), share),
          hn::Mul(hn::SumOfLanes(d, sum_gn), hn::Mul(share, inverse_deviation))};
}

// dx = (g - mean(g) - n mean(g n)) / deviation.
void layer_norm_backward_loop(std::span<const float> x, std::span<const float> gain,
                              std::span<const float> means,
                              std::span<const float> inverse_deviations, std::span<const float> dy,
                              std::span<float> dx, std::span<float> dgain, std::span<float> dbias) {
  const size_t width = gain.size();
  for (size_t row = 0; row < means.size(); ++row) {
    const float *row_x = x.data() + row * width, *row_dy = dy.data() + row * width;
    float* row_dx = dx.data() + row * width;
    const Vector mean = hn::Set(Tag(), means[row]),
                 inverse_deviation = hn::Set(Tag(), inverse_deviations[row]);
    const Means mean_of =
        backward_means(row_x, gain.data(), row_dy, width, mean, inverse_deviation);
    for_each_vector(width, [&](auto at) HWY_ATTR {
      const Vector upstream = at.load(row_dy);
      const Vector n = hn::Mul(hn::Sub(at.load(row_x), mean), inverse_deviation);
      const Vector gain_sum = hn::MulAdd(upstream, n, at.load(dgain.data()));
      const Vector bias_sum = hn::Add(upstream, at.load(dbias.data()));
      const Vector g = hn::MulSub(upstream, at.load(gain.data()), mean_of.g);
      at.store(hn::Mul(hn::NegMulAdd(n, mean_of.gn, g), inverse_deviation), row_dx);
      at.store(gain_sum, dgain.data());
      at.store(bias_sum, dbias.data());
    });
  }
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

void layer_norm(std::span<const double> x, std::span<const double> gain,
                std::span<const double> bias, double epsilon, std::span<double> y,
                std::span<double> means, std::span<double> inverse_deviations) {
  reference::layer_norm<double>(x, gain, bias, epsilon, y, means, inverse_deviations);
}

void layer_norm_backward(std::span<const float> x, std::span<const float> gain,
                         std::span<const float> means, std::span<const float> inverse_deviations,
                         std::span<const float> dy, std::span<float> dx, std::span<float> dgain,
                         std::span<float> dbias) {
  HWY_DYNAMIC_DISPATCH(layer_norm_backward_loop)
  (x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

void layer_norm_backward(std::span<const double> x, std::span<const double> gain,
                         std::span<const double> means, std::span<const double> inverse_deviations,
                         std::span<const double> dy, std::span<double> dx, std::span<double> dgain,
                         std::span<double> dbias) {
  reference::layer_norm_backward<double>(x, gain, means, inverse_deviations, dy, dx, dgain, dbias);
}

}  // namespace heed::kernels
#endif
