#include "heed/layers/initialisation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace heed {
namespace {

double deviation_of(const Tensor& x) {
  double squares = 0;
  for (const float element : x.span<float>()) squares += static_cast<double>(element) * element;
  return std::sqrt(squares / static_cast<double>(x.elements()));
}

TEST(Initialisation, UniformNumbersFillTheirRange) {
  Rng rng(1);
  const Tensor x = uniform_numbers({100, 100}, 0.5, rng);
  const auto [low, high] = std::ranges::minmax(x.span<float>());
  EXPECT_GE(low, -0.5f);
  EXPECT_LE(high, 0.5f);
  EXPECT_LT(low, -0.49f);
  EXPECT_GT(high, 0.49f);
}

TEST(Initialisation, NormalNumbersHaveTheirDeviation) {
  Rng rng(2);
  EXPECT_NEAR(deviation_of(normal_numbers({100, 100}, 0.25, rng)), 0.25, 0.01);
}

TEST(Initialisation, XavierKeepsTheDeviation) {
  Rng rng(3);
  const Tensor weight = xavier_uniform(60, 120, rng);
  EXPECT_EQ(weight.shape(), (Shape{60, 120}));
  EXPECT_NEAR(deviation_of(weight), std::sqrt(2.0 / (60 + 120)), 0.003);
}

TEST(Initialisation, TheSameSeedGivesTheSameNumbers) {
  Rng first(4), second(4);
  EXPECT_EQ(normal_numbers({1}, 1.0, first)[0], normal_numbers({1}, 1.0, second)[0]);
}

}  // namespace
}  // namespace heed
