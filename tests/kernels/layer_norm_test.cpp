#include "heed/kernels/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/layer_norm.h"
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

template <typename T>
struct Normalised {
  explicit Normalised(size_t width) : y(rows * width), means(rows), inverse_deviations(rows) {}

  std::vector<T> y, means, inverse_deviations;
};

Normalised<double> reference_norm(std::span<const float> x, std::span<const float> gain,
                                  std::span<const float> bias) {
  Normalised<double> out(gain.size());
  reference::layer_norm<double>(widened(x), widened(gain), widened(bias), epsilon, out.y, out.means,
                                out.inverse_deviations);
  return out;
}

TEST(LayerNorm, AnyWidthAndAlignment) {
  for_every_target([] {
    for (const size_t width : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << "width " << width << " offset " << offset);
        const GuardedFloats x(random_floats(rows * width, width, 2.0), offset);
        const GuardedFloats gain(random_floats(width, 2), offset + 1),
            bias(random_floats(width, 3), 2 - offset);
        GuardedFloats y(rows * width, 2 - offset), means(rows, 0), inverse_deviations(rows, 0);
        layer_norm(x.view(), gain.view(), bias.view(), epsilon, y.span(), means.span(),
                   inverse_deviations.span());
        const Normalised<double> expected = reference_norm(x.view(), gain.view(), bias.view());
        // A width of 1 divides rounding errors by sqrt(epsilon).
        EXPECT_TRUE(
            close(y.view(), std::span<const double>(expected.y), 1e-5, width == 1 ? 2e-4 : 1e-5));
        EXPECT_TRUE(close(means.view(), std::span<const double>(expected.means), 1e-5, 1e-6));
        EXPECT_TRUE(close(inverse_deviations.view(),
                          std::span<const double>(expected.inverse_deviations), 1e-5, 0.0));
        EXPECT_TRUE(y.intact() && means.intact() && inverse_deviations.intact());
      }
  });
}

// Far from zero the variance is lost if it is taken from the sum of the squares.
TEST(LayerNorm, RowsFarFromZeroKeepTheirVariance) {
  const size_t width = 512;
  std::vector<float> x = random_floats(rows * width, 1);
  for (float& value : x) value += 1000.0f;
  const std::vector<float> gain(width, 1.0f), bias(width, 0.0f);
  const Normalised<double> expected = reference_norm(x, gain, bias);
  for_every_target([&] {
    Normalised<float> out(width);
    layer_norm(x, gain, bias, epsilon, out.y, out.means, out.inverse_deviations);
    EXPECT_TRUE(close(out.y, expected.y, 1e-4, 3e-4));
    EXPECT_TRUE(close(out.inverse_deviations, expected.inverse_deviations, 1e-5, 0.0));
  });
}

TEST(LayerNorm, AConstantRowGivesTheBias) {
  const size_t width = 100;
  const std::vector<float> x(rows * width, 0.5f), gain = random_floats(width, 1),
                                                  bias = random_floats(width, 2);
  for_every_target([&] {
    Normalised<float> out(width);
    layer_norm(x, gain, bias, epsilon, out.y, out.means, out.inverse_deviations);
    for (size_t row = 0; row < rows; ++row)
      for (size_t c = 0; c < width; ++c) ASSERT_NEAR(out.y[row * width + c], bias[c], 1e-4);
  });
}

TEST(LayerNorm, BackwardAddsToTheParametersGradients) {
  for_every_target([] {
    for (const size_t width : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << "width " << width << " offset " << offset);
        const GuardedFloats x(random_floats(rows * width, width, 2.0), offset),
            gain(random_floats(width, 2), offset + 1);
        const std::vector<float> bias(width, 0.0f);
        Normalised<float> out(width);
        layer_norm(x.view(), gain.view(), bias, epsilon, out.y, out.means, out.inverse_deviations);
        GuardedFloats dy(random_floats(rows * width, 4), 2 - offset), dx(rows * width, offset);
        GuardedFloats dgain(random_floats(width, 5), offset),
            dbias(random_floats(width, 6), offset);

        std::vector<double> wide_dx(rows * width), wide_dgain = widened(dgain.view()),
                                                   wide_dbias = widened(dbias.view());
        reference::layer_norm_backward<double>(widened(x.view()), widened(gain.view()),
                                               widened(out.means), widened(out.inverse_deviations),
                                               widened(dy.view()), wide_dx, wide_dgain, wide_dbias);
        layer_norm_backward(x.view(), gain.view(), out.means, out.inverse_deviations, dy.view(),
                            dx.span(), dgain.span(), dbias.span());
        // dx of a width of 1 is a difference of equal numbers, times 1 / sqrt(epsilon).
        EXPECT_TRUE(
            close(dx.view(), std::span<const double>(wide_dx), 1e-5, width <= 3 ? 1e-3 : 1e-5));
        EXPECT_TRUE(close(dgain.view(), std::span<const double>(wide_dgain), 1e-5, 1e-5));
        EXPECT_TRUE(close(dbias.view(), std::span<const double>(wide_dbias), 1e-5, 1e-5));

        std::vector<float> ignored_gain(width), ignored_bias(width);
        layer_norm_backward(x.view(), gain.view(), out.means, out.inverse_deviations, dy.view(),
                            dy.span(), ignored_gain, ignored_bias);
        EXPECT_TRUE(close(dy.view(), dx.view(), 0.0, 0.0));
        EXPECT_TRUE(dy.intact() && dx.intact() && dgain.intact() && dbias.intact());
      }
  });
}

// The reference itself: dx is the derivative of Σ dy y.
TEST(LayerNorm, BackwardIsTheDerivative) {
  const std::vector<double> x = {0.3, -1.0, 2.0, 0.1}, gain = {1.0, 0.5, -2.0, 1.5},
                            bias = {0.0, 1.0, 2.0, 3.0};
  const std::vector<double> dy = {1.0, -0.5, 0.25, 2.0};
  std::vector<double> y(4), mean(1), inverse_deviation(1);
  const auto weighted = [&](const std::vector<double>& in, const std::vector<double>& by) {
    layer_norm(in, by, bias, 1e-5, y, mean, inverse_deviation);
    return std::inner_product(y.begin(), y.end(), dy.begin(), 0.0);
  };
  weighted(x, gain);
  std::vector<double> dx(4), dgain(4), dbias(4);
  layer_norm_backward(x, gain, mean, inverse_deviation, dy, dx, dgain, dbias);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<double> above = x, below = x, stronger = gain, weaker = gain;
    above[i] += 1e-6, below[i] -= 1e-6, stronger[i] += 1e-6, weaker[i] -= 1e-6;
    EXPECT_NEAR(dx[i], (weighted(above, gain) - weighted(below, gain)) / 2e-6, 1e-8);
    EXPECT_NEAR(dgain[i], (weighted(x, stronger) - weighted(x, weaker)) / 2e-6, 1e-8);
    EXPECT_EQ(dbias[i], dy[i]);
  }
}

// What overflows must be seen: rows whose squares leave the range would otherwise become zeros.
TEST(LayerNorm, OfNumbersThatAreTooLargeOrNoneIsNoNumber) {
  for_every_target([] {
    for (const float odd : {1e25f, -1e25f, std::numeric_limits<float>::infinity(), std::nanf("")})
      for (const size_t width : {2, 17, 64}) {
        std::vector<float> x = random_floats(rows * width, 1);
        x[width + 1] = odd;
        const std::vector<float> gain(width, 1.0f), bias(width, 0.5f);
        Normalised<float> out(width);
        layer_norm(x, gain, bias, epsilon, out.y, out.means, out.inverse_deviations);
        for (size_t i = 0; i < x.size(); ++i)
          EXPECT_EQ(std::isnan(out.y[i]), i / width == 1) << odd << " in " << width;
      }
  });
}

}  // namespace
}  // namespace heed::kernels
