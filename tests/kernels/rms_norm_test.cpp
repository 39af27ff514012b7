#include "heed/kernels/rms_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/rms_norm.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

constexpr size_t rows = 3;
constexpr float epsilon = 1e-5f;

TEST(RmsNorm, AnyWidthAndAlignment) {
  for_every_target([] {
    for (const size_t width : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << "width " << width << " offset " << offset);
        const GuardedFloats x(random_floats(rows * width, width, 2.0), offset);
        const GuardedFloats gain(random_floats(width, 2), offset + 1);
        GuardedFloats y(rows * width, 2 - offset), inverse_sizes(rows, 0);
        rms_norm(x.view(), gain.view(), epsilon, y.span(), inverse_sizes.span());
        std::vector<double> wide_y(rows * width), wide_sizes(rows);
        reference::rms_norm<double>(widened(x.view()), widened(gain.view()), epsilon, wide_y,
                                    wide_sizes);
        EXPECT_TRUE(close(y.view(), std::span<const double>(wide_y), 1e-5, 1e-6));
        EXPECT_TRUE(close(inverse_sizes.view(), std::span<const double>(wide_sizes), 1e-5, 0.0));
        EXPECT_TRUE(y.intact() && inverse_sizes.intact());
      }
  });
}

TEST(RmsNorm, ARowOfZerosStaysZero) {
  const size_t width = 100;
  const std::vector<float> x(rows * width, 0.0f), gain = random_floats(width, 1);
  for_every_target([&] {
    std::vector<float> y(rows * width, 1.0f), inverse_sizes(rows);
    rms_norm(x, gain, epsilon, y, inverse_sizes);
    for (const float value : y) ASSERT_EQ(value, 0.0f);
  });
}

TEST(RmsNorm, BackwardAddsToTheGainsGradient) {
  for_every_target([] {
    for (const size_t width : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << "width " << width << " offset " << offset);
        const GuardedFloats x(random_floats(rows * width, width, 2.0), offset),
            gain(random_floats(width, 2), offset + 1);
        std::vector<float> y(rows * width), inverse_sizes(rows);
        rms_norm(x.view(), gain.view(), epsilon, y, inverse_sizes);
        GuardedFloats dy(random_floats(rows * width, 4), 2 - offset), dx(rows * width, offset);
        GuardedFloats dgain(random_floats(width, 5), offset);

        std::vector<double> wide_dx(rows * width), wide_dgain = widened(dgain.view());
        reference::rms_norm_backward<double>(widened(x.view()), widened(gain.view()),
                                             widened(inverse_sizes), widened(dy.view()), wide_dx,
                                             wide_dgain);
        rms_norm_backward(x.view(), gain.view(), inverse_sizes, dy.view(), dx.span(), dgain.span());
        // dx of a width of 1 is a difference of nearly equal numbers.
        EXPECT_TRUE(
            close(dx.view(), std::span<const double>(wide_dx), 1e-5, width <= 3 ? 1e-4 : 1e-5));
        EXPECT_TRUE(close(dgain.view(), std::span<const double>(wide_dgain), 1e-5, 1e-5));

        std::vector<float> ignored(width);
        rms_norm_backward(x.view(), gain.view(), inverse_sizes, dy.view(), dy.span(), ignored);
        EXPECT_TRUE(close(dy.view(), dx.view(), 0.0, 0.0));
        EXPECT_TRUE(dy.intact() && dx.intact() && dgain.intact());
      }
  });
}

// The reference itself: dx is the derivative of Σ dy y.
TEST(RmsNorm, BackwardIsTheDerivative) {
  const std::vector<double> x = {0.3, -1.0, 2.0, 0.1}, gain = {1.0, 0.5, -2.0, 1.5};
  const std::vector<double> dy = {1.0, -0.5, 0.25, 2.0};
  std::vector<double> y(4), inverse_size(1);
  const auto weighted = [&](const std::vector<double>& in, const std::vector<double>& by) {
    rms_norm(in, by, 1e-2, y, inverse_size);
    return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
  };
  weighted(x, gain);
  std::vector<double> dx(4), dgain(4);
  rms_norm_backward(x, gain, inverse_size, dy, dx, dgain);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<double> above = x, below = x, stronger = gain, weaker = gain;
    above[i] += 1e-6, below[i] -= 1e-6, stronger[i] += 1e-6, weaker[i] -= 1e-6;
    EXPECT_NEAR(dx[i], (weighted(above, gain) - weighted(below, gain)) / 2e-6, 1e-8);
    EXPECT_NEAR(dgain[i], (weighted(x, stronger) - weighted(x, weaker)) / 2e-6, 1e-8);
  }
}

// What overflows must be seen: rows whose squares leave the range would otherwise become zeros.
TEST(RmsNorm, OfNumbersThatAreTooLargeOrNoneIsNoNumber) {
  for_every_target([] {
    for (const float odd : {1e25f, -1e25f, std::numeric_limits<float>::infinity(), std::nanf("")})
      for (const size_t width : {2, 17, 64}) {
        std::vector<float> x = random_floats(rows * width, 1);
        x[width + 1] = odd;
        const std::vector<float> gain(width, 1.0f);
        std::vector<float> y(rows * width), inverse_sizes(rows);
        rms_norm(x, gain, epsilon, y, inverse_sizes);
        for (size_t i = 0; i < x.size(); ++i)
          EXPECT_EQ(std::isnan(y[i]), i / width == 1) << odd << " in " << width;
      }
  });
}

}  // namespace
}  // namespace heed::kernels
