#include "heed/alignment/digamma.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace heed {
namespace {

TEST(Digamma, IsKnownAtSomePoints) {
  const double euler = std::numbers::egamma;
  EXPECT_NEAR(digamma(1), -euler, 1e-9);
  EXPECT_NEAR(digamma(0.5), -euler - 2 * std::log(2.0), 1e-9);
  EXPECT_NEAR(digamma(4), 1 + 1.0 / 2 + 1.0 / 3 - euler, 1e-9);
  EXPECT_NEAR(digamma(1e6), std::log(1e6) - 0.5e-6, 1e-9);
}

TEST(Digamma, GrowsByTheInverse) {
  for (const double x : {0.01, 0.1, 0.7, 3.3, 7.9, 8.1, 100.0})
    EXPECT_NEAR(digamma(x + 1) - digamma(x), 1 / x, 1e-9 / x) << x;
}

}  // namespace
}  // namespace heed
