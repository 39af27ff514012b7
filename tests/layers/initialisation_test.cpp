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
  const Tensor x = Initialiser(rng).uniform({100, 100}, 0.5);
  const auto [low, high] = std::ranges::minmax(x.span<float>());
  EXPECT_GE(low, -0.5f);
  EXPECT_LE(high, 0.5f);
  EXPECT_LT(low, -0.49f);
  EXPECT_GT(high, 0.49f);
}

TEST(Initialisation, NormalNumbersHaveTheirDeviation) {
  Rng rng(2);
  EXPECT_NEAR(deviation_of(Initialiser(rng).normal({100, 100}, 0.25)), 0.25, 0.01);
}

TEST(Initialisation, XavierKeepsTheDeviation) {
  Rng rng(3);
  const Tensor weight = Initialiser(rng).xavier_uniform(60, 120);
  EXPECT_EQ(weight.shape(), (Shape{60, 120}));
  EXPECT_NEAR(deviation_of(weight), std::sqrt(2.0 / (60 + 120)), 0.003);
}

TEST(Initialisation, TheSameSeedGivesTheSameNumbers) {
  Rng first(4), second(4);
  EXPECT_EQ(Initialiser(first).normal({1}, 1.0)[0], Initialiser(second).normal({1}, 1.0)[0]);
}

// Copies draw from the same generator: layers pass theirs on.
TEST(Initialisation, CopiesGoOnWhereTheOtherStopped) {
  Rng first(5), second(5);
  const Initialiser one(first), copy = one, other(second);
  const double numbers[] = {one.normal({1}, 1.0)[0], copy.normal({1}, 1.0)[0]};
  const Tensor both = other.normal({2}, 1.0);
  EXPECT_EQ(numbers[0], both[0]);
  EXPECT_EQ(numbers[1], both[1]);
}

TEST(Initialisation, UnsetParametersHaveTheirShapes) {
  EXPECT_EQ(Initialiser::unset().xavier_uniform(2, 3).shape(), (Shape{2, 3}));
}

}  // namespace
}  // namespace heed
