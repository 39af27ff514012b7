#include "heed/base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>

namespace heed {
namespace {

TEST(Random, TheSameKeyAndPositionGiveTheSameWord) {
  EXPECT_EQ(random_word(make_key(1), 7), random_word(make_key(1), 7));
  EXPECT_NE(random_word(make_key(1), 7), random_word(make_key(1), 8));
  EXPECT_NE(random_word(make_key(1), 7), random_word(make_key(2), 7));
}

TEST(Random, DerivedKeysDiffer) {
  const RandomKey key = make_key(1);
  EXPECT_FALSE(derive_key(key, 0) == key);
  EXPECT_FALSE(derive_key(key, 0) == derive_key(key, 1));
  EXPECT_EQ(derive_key(key, 5), derive_key(key, 5));
}

TEST(Random, OneBitOfThePositionChangesHalfOfTheWord) {
  double flipped = 0;
  const int trials = 4000;
  for (uint32_t i = 0; i < trials; ++i)
    flipped +=
        std::popcount(random_word(make_key(3), i) ^ random_word(make_key(3), i ^ (1u << (i % 32))));
  EXPECT_NEAR(flipped / trials, 16.0, 0.2);
}

TEST(Random, UniformHasTheRightMomentsAndRange) {
  Rng rng(11);
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = rng.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.01);
  EXPECT_NEAR(squares / count, 1.0 / 3.0, 0.01);
}

TEST(Random, NormalHasTheRightMoments) {
  Rng rng(12);
  double sum = 0, squares = 0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = rng.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / count, 0.0, 0.02);
  EXPECT_NEAR(squares / count, 1.0, 0.02);
}

TEST(Random, BelowIsEven) {
  Rng rng(13);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[rng.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace heed
