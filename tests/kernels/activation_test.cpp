#include "heed/kernels/activation.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/activation.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::array all_kinds = {Activation::identity, Activation::relu, Activation::tanh,
                                  Activation::sigmoid,  Activation::gelu, Activation::swish};

// Where vectorised code goes wrong: zeros, denormals, the ends of exp's range, infinities and NaN.
const std::vector<float> extremes = {
    0.0f,  -0.0f,  1e-45f,  -1e-45f,  1e-39f,   -1e-39f,   FLT_MIN, -FLT_MIN, 1e-8f, -1e-8f,
    1.0f,  -1.0f,  9.0f,    -9.0f,    14.0f,    -14.0f,    87.0f,   -87.0f,   88.0f, -88.0f,
    88.5f, -88.5f, 89.0f,   -89.0f,   104.0f,   -104.0f,   1e4f,    -1e4f,    1e9f,  -1e9f,
    1e30f, -1e30f, FLT_MAX, -FLT_MAX, infinity, -infinity, nan,     -nan};

// Floats spread evenly over their bit patterns, thus over all magnitudes and both signs, and evenly
// over [low, high].
std::vector<float> sweep(float low, float high) {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += 2003) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (value >= low && value <= high) values.push_back(value);
  }
  const size_t steps = 1'000'000;
  for (size_t i = 0; i <= steps; ++i)
    values.push_back(low + (high - low) * static_cast<float>(i) / static_cast<float>(steps));
  return values;
}

struct Errors {
  double relative = 0;  // taken where the result is a normal float
  double absolute = 0;
  float relative_at = 0;
  float absolute_at = 0;
};

Errors largest_errors(const std::vector<float>& x, const std::vector<float>& y,
                      const std::vector<double>& exact) {
  Errors errors;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(static_cast<double>(y[i]) - exact[i]);
    if (!(error <= errors.absolute)) {
      errors.absolute = error;
      errors.absolute_at = x[i];
    }
    if (std::abs(exact[i]) >= double{FLT_MIN} && !(error / std::abs(exact[i]) <= errors.relative)) {
      errors.relative = error / std::abs(exact[i]);
      errors.relative_at = x[i];
    }
  }
  return errors;
}

// The largest errors over a sweep, for each instruction set, given to `check`.
template <typename Check>
void sweep_activation(Activation kind, float low, float high, Check check) {
  const std::vector<float> x = sweep(low, high);
  std::vector<double> exact(x.size());
  reference::activate<double>(kind, widened(x), exact);
  for_every_target([&] {
    std::vector<float> y(x.size());
    activate(kind, x, y);
    check(largest_errors(x, y, exact));
  });
}

template <typename Check>
void sweep_slope(Activation kind, float low, float high, Check check) {
  const std::vector<float> x = sweep(low, high), ones(x.size(), 1.0f);
  std::vector<double> exact(x.size());
  reference::activate_backward<double>(kind, widened(x), widened(ones), exact);
  for_every_target([&] {
    std::vector<float> dx(x.size());
    activate_backward(kind, x, ones, dx);
    check(largest_errors(x, dx, exact));
  });
}

TEST(Exp, RelativeErrorOverTheWholeRange) {
  const std::vector<float> x = sweep(-87.33654f, 88.72283f);
  std::vector<double> exact(x.size());
  reference::exp<double>(widened(x), exact);
  for_every_target([&] {
    std::vector<float> y(x.size());
    exp(x, y);
    const Errors errors = largest_errors(x, y, exact);
    EXPECT_LE(errors.relative, 5e-7) << "at " << errors.relative_at;
  });
}

TEST(Exp, EndsOfTheRange) {
  const float last_finite = std::bit_cast<float>(0x42b17217u);  // 88.72283
  const float first_infinite = std::bit_cast<float>(0x42b17218u);
  const std::vector<float> x = {0.0f,    -0.0f,  last_finite, first_infinite,
                                89.0f,   1e30f,  FLT_MAX,     infinity,
                                -104.0f, -1e30f, -FLT_MAX,    -infinity};
  const std::vector<float> expected = {
      1.0f,     1.0f,     static_cast<float>(std::exp(static_cast<double>(last_finite))),
      infinity, infinity, infinity,
      infinity, infinity, 0.0f,
      0.0f,     0.0f,     0.0f};
  for_every_target([&] {
    std::vector<float> y(x.size());
    exp(x, y);
    EXPECT_TRUE(close(y, expected, 5e-7, 0.0));
    EXPECT_EQ(y[0], 1.0f);
    EXPECT_EQ(y[1], 1.0f);
  });
}

TEST(Exp, NanStaysNan) {
  // Any payload and either sign: the bits of a NaN must not be taken for an exponent.
  std::vector<float> x;
  for (const uint32_t bits :
       {0x7fc00000u, 0xffc00000u, 0x7fc00001u, 0xffffffffu, 0x7fffff80u, 0x7f800001u, 0x7fc0007fu})
    x.push_back(std::bit_cast<float>(bits));
  for_every_target([&] {
    std::vector<float> y(x.size());
    exp(x, y);
    for (const float value : y) EXPECT_TRUE(std::isnan(value));
  });
}

// Below the normal floats a result may be anything between 0 and the true value, and never rises as
// x falls.
TEST(Exp, UnderflowsGracefully) {
  std::vector<float> x;
  for (float value = -87.0f; value > -110.0f; value -= 0.001f) x.push_back(value);
  for_every_target([&] {
    std::vector<float> y(x.size());
    exp(x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_GE(y[i], 0.0f) << x[i];
      ASSERT_LE(y[i], std::exp(static_cast<double>(x[i])) * (1 + 5e-7) + 1e-45) << x[i];
      if (i > 0) {
        ASSERT_LE(y[i], y[i - 1]) << x[i];
      }
    }
  });
}

TEST(Activation, TanhIsAccurate) {
  sweep_activation(Activation::tanh, -20.0f, 20.0f, [](const Errors& errors) {
    EXPECT_LE(errors.relative, 4e-7) << "at " << errors.relative_at;
  });
}

TEST(Activation, SigmoidIsAccurate) {
  sweep_activation(Activation::sigmoid, -87.0f, 87.0f, [](const Errors& errors) {
    EXPECT_LE(errors.relative, 5e-7) << "at " << errors.relative_at;
    EXPECT_LE(errors.absolute, 1.2e-7) << "at " << errors.absolute_at;
  });
}

TEST(Activation, GeluIsAccurateFarBelowZero) {
  sweep_activation(Activation::gelu, -2.0f, 100.0f, [](const Errors& errors) {
    EXPECT_LE(errors.relative, 7e-7) << "at " << errors.relative_at;
  });
  // Without a fused multiply-add the rounding of the square remains in the exponent.
  sweep_activation(Activation::gelu, -13.0f, -2.0f, [](const Errors& errors) {
    EXPECT_LE(errors.relative, 5e-6) << "at " << errors.relative_at;
  });
  sweep_activation(Activation::gelu, -100.0f, 1.0f, [](const Errors& errors) {
    EXPECT_LE(errors.absolute, 1.5e-7) << "at " << errors.absolute_at;
  });
}

TEST(Activation, SwishIsAccurate) {
  sweep_activation(Activation::swish, -85.0f, 1e5f, [](const Errors& errors) {
    EXPECT_LE(errors.relative, 6e-7) << "at " << errors.relative_at;
  });
  sweep_activation(Activation::swish, -1e5f, 1.0f, [](const Errors& errors) {
    EXPECT_LE(errors.absolute, 1.5e-7) << "at " << errors.absolute_at;
  });
}

TEST(Activation, SlopesAreAccurate) {
  for (const Activation kind : all_kinds)
    sweep_slope(kind, -100.0f, 100.0f, [=](const Errors& errors) {
      EXPECT_LE(errors.absolute, 5e-7)
          << "of activation " << static_cast<int>(kind) << " at " << errors.absolute_at;
    });
}

TEST(Activation, ExtremesGiveTheLimits) {
  for_every_target([] {
    for (const Activation kind : all_kinds) {
      SCOPED_TRACE(static_cast<int>(kind));
      std::vector<float> y(extremes.size());
      std::vector<double> expected(extremes.size());
      activate(kind, extremes, y);
      reference::activate<double>(kind, widened(extremes), expected);
      EXPECT_TRUE(close(y, expected, 1e-6, 1e-30));
      for (size_t i = 0; i < extremes.size(); ++i) {
        if (extremes[i] == 0.0f && kind != Activation::sigmoid) {
          EXPECT_EQ(y[i], 0.0f);
        }
      }
    }
  });
}

TEST(Activation, SlopesAtExtremesAreFinite) {
  const std::vector<float> ones(extremes.size(), 1.0f);
  for_every_target([&] {
    for (const Activation kind : all_kinds) {
      SCOPED_TRACE(static_cast<int>(kind));
      std::vector<float> dx(extremes.size());
      std::vector<double> expected(extremes.size());
      activate_backward(kind, extremes, ones, dx);
      reference::activate_backward<double>(kind, widened(extremes), widened(ones), expected);
      EXPECT_TRUE(close(dx, expected, 1e-6, 5e-7));
    }
  });
}

TEST(Activation, AnySizeAnyAlignmentAndInPlace) {
  for_every_target([] {
    for (const Activation kind : all_kinds)
      for (const size_t size : awkward_sizes)
        for (size_t offset = 0; offset < 3; ++offset) {
          SCOPED_TRACE(::testing::Message() << "activation " << static_cast<int>(kind) << " size "
                                            << size << " offset " << offset);
          GuardedFloats x(random_floats(size, size, 3.0), offset), y(size, (offset + 1) % 3);
          GuardedFloats dy(random_floats(size, size + 1), offset + 1), dx(size, offset);
          std::vector<double> expected(size), gradient(size);
          reference::activate<double>(kind, widened(x.view()), expected);
          reference::activate_backward<double>(kind, widened(x.view()), widened(dy.view()),
                                               gradient);

          activate(kind, x.view(), y.span());
          activate_backward(kind, x.view(), dy.view(), dx.span());
          EXPECT_TRUE(close(y.view(), std::span<const double>(expected), 1e-6, 1e-6));
          EXPECT_TRUE(close(dx.view(), std::span<const double>(gradient), 1e-6, 2e-6));

          activate_backward(kind, x.view(), dy.view(), dy.span());
          activate(kind, x.view(), x.span());
          EXPECT_TRUE(close(dy.view(), dx.view(), 0.0, 0.0));
          EXPECT_TRUE(close(x.view(), y.view(), 0.0, 0.0));
          EXPECT_TRUE(x.intact() && y.intact() && dy.intact() && dx.intact());
        }
  });
}

TEST(Exp, AnySizeAnyAlignmentAndInPlace) {
  for_every_target([] {
    for (const size_t size : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        GuardedFloats x(random_floats(size, size, 10.0), offset), y(size, (offset + 1) % 3);
        std::vector<double> expected(size);
        reference::exp<double>(widened(x.view()), expected);
        exp(x.view(), y.span());
        exp(x.view(), x.span());
        EXPECT_TRUE(close(y.view(), std::span<const double>(expected), 5e-7, 0.0)) << size;
        EXPECT_TRUE(close(x.view(), y.view(), 0.0, 0.0)) << size;
        EXPECT_TRUE(x.intact() && y.intact());
      }
  });
}

// The double versions are the reference; these few values fix the reference itself.
TEST(Activation, KnownValues) {
  const std::vector<double> x = {1.0};
  const std::vector<double> expected = {
      1.0, 1.0, 0.7615941559557649, 0.7310585786300049, 0.8413447460685429, 0.7310585786300049};
  for (size_t k = 0; k < all_kinds.size(); ++k) {
    std::vector<double> y(1);
    activate(all_kinds[k], x, y);
    EXPECT_NEAR(y[0], expected[k], 1e-15);
  }
}

// f' against the difference quotient of f, both in double.
TEST(Activation, SlopesAreDerivatives) {
  const double step = 1e-6;
  for (const Activation kind : all_kinds)
    for (const double x : {-6.0, -1.3, -0.2, 0.4, 1.0, 5.0}) {
      const double quotient =
          (reference::activated(kind, x + step) - reference::activated(kind, x - step)) /
          (2 * step);
      EXPECT_NEAR(reference::slope(kind, x), quotient, 1e-8)
          << static_cast<int>(kind) << " at " << x;
    }
}

}  // namespace
}  // namespace heed::kernels
