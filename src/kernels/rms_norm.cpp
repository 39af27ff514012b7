#include "heed/kernels/rms_norm.h"

#include "heed/kernels/reference/rms_norm.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/rms_norm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void rms_norm_loop(std::span<const float> x, std::span<const float> gain, float epsilon,
                   std::span<float> y, std::span<float> inverse_sizes) {
  const size_t width = gain.size();
  const auto add_square = [](Vector sum, Vector v) HWY_ATTR { return hn::MulAdd(v, v, sum); };
  for (size_t row = 0; row < inverse_sizes.size(); ++row) {
    const float* in = x.data() + row * width;
    const float square = hn::GetLane(sum_of(width, add_square, in)) / static_cast<float>(width);
    inverse_sizes[row] = reference::inverse_deviation(square, epsilon);
    const Vector scale = hn::Set(Tag(), inverse_sizes[row]);
    const auto normalise = [scale](Vector v, Vector g)
                               HWY_ATTR { return hn::Mul(hn::Mul(v, scale), g); };
    transform(width, y.data() + row * width, normalise, in, gain.data());
  }
}

// With n = x / size and g = dy gain: dx = (g - n mean(g n)) / size.
void rms_norm_backward_loop(std::span<const float> x, std::span<const float> gain,
                            std::span<const float> inverse_sizes, std::span<const float> dy,
                            std::span<float> dx, std::span<float> dgain) {
  const Tag d;
  const size_t width = gain.size();
  for (size_t row = 0; row < inverse_sizes.size(); ++row) {
    const float *row_x = x.data() + row * width, *row_dy = dy.data() + row * width;
    float* row_dx = dx.data() + row * width;
    const Vector inverse_size = hn::Set(d, inverse_sizes[row]);
    Vector sum = hn::Zero(d);
    for_each_vector(width, [&](auto at) HWY_ATTR {
      sum = hn::MulAdd(hn::Mul(at.load(row_dy), at.load(gain.data())), at.load(row_x), sum);
    });
    const Vector mean_gn =
        hn::Mul(hn::SumOfLanes(d, sum), hn::Set(d, inverse_sizes[row] / static_cast<float>(width)));
    for_each_vector(width, [&](auto at) HWY_ATTR {
      const Vector upstream = at.load(row_dy);
      const Vector n = hn::Mul(at.load(row_x), inverse_size);
      const Vector g = hn::Mul(upstream, at.load(gain.data()));
      at.store(hn::MulAdd(upstream, n, at.load(dgain.data())), dgain.data());
      at.store(hn::Mul(hn::NegMulAdd(n, mean_gn, g), inverse_size), row_dx);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(rms_norm_loop);
HWY_EXPORT(rms_norm_backward_loop);

void rms_norm(std::span<const float> x, std::span<const float> gain, float epsilon,
              std::span<float> y, std::span<float> inverse_sizes) {
  HWY_DYNAMIC_DISPATCH(rms_norm_loop)(x, gain, epsilon, y, inverse_sizes);
}

void rms_norm(std::span<const double> x, std::span<const double> gain, double epsilon,
              std::span<double> y, std::span<double> inverse_sizes) {
  reference::rms_norm<double>(x, gain, epsilon, y, inverse_sizes);
}

void rms_norm_backward(std::span<const float> x, std::span<const float> gain,
                       std::span<const float> inverse_sizes, std::span<const float> dy,
                       std::span<float> dx, std::span<float> dgain) {
  HWY_DYNAMIC_DISPATCH(rms_norm_backward_loop)(x, gain, inverse_sizes, dy, dx, dgain);
}

void rms_norm_backward(std::span<const double> x, std::span<const double> gain,
                       std::span<const double> inverse_sizes, std::span<const double> dy,
                       std::span<double> dx, std::span<double> dgain) {
  reference::rms_norm_backward<double>(x, gain, inverse_sizes, dy, dx, dgain);
}

}  // namespace heed::kernels
#endif
