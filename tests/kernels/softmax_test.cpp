#include "heed/kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/softmax.h"
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
constexpr size_t rows = 3;

TEST(Softmax, AnyWidthAnyAlignmentAndInPlace) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << columns << " columns, offset " << offset);
        GuardedFloats x(random_floats(rows * columns, columns, 4.0), offset),
            y(rows * columns, 2 - offset);
        std::vector<double> expected(rows * columns);
        reference::softmax<double>(widened(x.view()), expected, static_cast<int64_t>(columns));
        softmax(x.view(), y.span(), static_cast<int64_t>(columns));
        EXPECT_TRUE(close(y.view(), std::span<const double>(expected), 5e-6, 0.0));
        softmax(x.view(), x.span(), static_cast<int64_t>(columns));
        EXPECT_TRUE(close(x.view(), y.view(), 0.0, 0.0));
        EXPECT_TRUE(x.intact() && y.intact());
      }
  });
}

TEST(Softmax, MaskedElementsGetNothing) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes) {
      std::vector<float> x = random_floats(rows * columns, columns);
      for (size_t i = 0; i < x.size(); i += 2) x[i] = -infinity;
      std::vector<float> y(x.size());
      std::vector<double> expected(x.size());
      reference::softmax<double>(widened(x), expected, static_cast<int64_t>(columns));
      softmax(x, y, static_cast<int64_t>(columns));
      EXPECT_TRUE(close(y, expected, 2e-6, 0.0));
      for (size_t i = 0; i < x.size(); i += 2) ASSERT_EQ(y[i], 0.0f);
    }
  });
}

TEST(Softmax, ARowOfNothingButMinusInfinityGivesZeros) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes) {
      std::vector<float> x = random_floats(rows * columns, columns);
      std::fill_n(x.begin() + static_cast<ptrdiff_t>(columns), columns, -infinity);
      std::vector<float> y(x.size(), 7.0f);
      softmax(x, y, static_cast<int64_t>(columns));
      for (size_t c = 0; c < columns; ++c) ASSERT_EQ(y[columns + c], 0.0f);
      for (const size_t row : {0, 2})
        EXPECT_NEAR(std::accumulate(y.begin() + static_cast<ptrdiff_t>(row * columns),
                                    y.begin() + static_cast<ptrdiff_t>((row + 1) * columns), 0.0),
                    1.0, 1e-5);
    }
  });
}

TEST(Softmax, LargeScoresNeitherOverflowNorVanish) {
  const std::vector<float> x = {1e30f,  -1e30f, 1e30f,  3e38f,  -3e38f, -3e38f,
                                -1e30f, -1e30f, -1e30f, 104.0f, 0.0f,   -104.0f};
  const float third = 1.0f / 3.0f;
  const std::vector<float> expected = {0.5f,  0.0f,  0.5f,  1.0f, 0.0f, 0.0f,
                                       third, third, third, 1.0f, 0.0f, 0.0f};
  for_every_target([&] {
    std::vector<float> y(x.size());
    softmax(x, y, 3);
    EXPECT_TRUE(close(y, expected, 1e-6, 1e-44));
  });
}

// A NaN is a bug somewhere and must stay visible, even next to masked elements.
TEST(Softmax, NanMakesItsRowNan) {
  for_every_target([] {
    for (const size_t columns : {1, 5, 16, 33, 100})
      for (size_t at = 0; at < columns; ++at) {
        std::vector<float> x(2 * columns, -infinity);
        x[at] = std::nanf("");
        std::vector<float> y(x.size());
        softmax(x, y, static_cast<int64_t>(columns));
        for (size_t c = 0; c < columns; ++c)
          ASSERT_TRUE(std::isnan(y[c])) << columns << " columns, NaN at " << at;
        for (size_t c = 0; c < columns; ++c) ASSERT_EQ(y[columns + c], 0.0f);
      }
  });
}

TEST(Softmax, Backward) {
  for_every_target([] {
    for (const size_t columns : awkward_sizes)
      for (size_t offset = 0; offset < 3; ++offset) {
        SCOPED_TRACE(::testing::Message() << columns << " columns, offset " << offset);
        GuardedFloats y(rows * columns, offset), dy(random_floats(rows * columns, 5), 2 - offset),
            dx(rows * columns, 1);
        softmax(random_floats(rows * columns, columns), y.span(), static_cast<int64_t>(columns));
        std::vector<double> expected(rows * columns);
        reference::softmax_backward<double>(widened(y.view()), widened(dy.view()), expected,
                                            static_cast<int64_t>(columns));
        softmax_backward(y.view(), dy.view(), dx.span(), static_cast<int64_t>(columns));
        EXPECT_TRUE(close(dx.view(), std::span<const double>(expected), 1e-5, 1e-7));
        softmax_backward(y.view(), dy.view(), dy.span(), static_cast<int64_t>(columns));
        EXPECT_TRUE(close(dy.view(), dx.view(), 0.0, 0.0));
        EXPECT_TRUE(y.intact() && dy.intact() && dx.intact());
      }
  });
}

// The reference itself: dx is the derivative of Σ dy softmax(x).
TEST(Softmax, BackwardIsTheDerivative) {
  const std::vector<double> x = {0.3, -1.0, 2.0, 0.0}, dy = {1.0, -0.5, 0.25, 2.0};
  const auto weighted = [&](const std::vector<double>& scores) {
    std::vector<double> weights(4);
    softmax(scores, weights, 4);
    return std::inner_product(weights.begin(), weights.end(), dy.begin(), 0.0);
  };
  std::vector<double> y(4), dx(4);
  softmax(x, y, 4);
  softmax_backward(y, dy, dx, 4);
  for (size_t i = 0; i < 4; ++i) {
    std::vector<double> above = x, below = x;
    above[i] += 1e-6;
    below[i] -= 1e-6;
    EXPECT_NEAR(dx[i], (weighted(above) - weighted(below)) / 2e-6, 1e-9);
  }
}

}  // namespace
}  // namespace heed::kernels
