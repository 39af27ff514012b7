#include "heed/alignment/exact_sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace heed {
namespace {

TEST(ExactSum, IsTheSameInAnyOrder) {
  std::vector<double> parts;
  for (int i = 0; i < 1000; ++i) parts.push_back(i % 3 == 0 ? 1e6 / (i + 1) : 1e-6 * i / 7);
  ExactSum one, other;
  for (const double part : parts) one.add(part);
  std::ranges::reverse(parts);
  for (const double part : parts) other.add(part);
  EXPECT_EQ(one.value(), other.value());
  double plain = 0;
  for (const double part : parts) plain += part;
  EXPECT_NEAR(one.value(), plain, 1e-6);
}

TEST(ExactSum, IsZeroOnceItWasTaken) {
  ExactSum sum;
  sum.add(0.75);
  EXPECT_EQ(sum.take(), 0.75);
  EXPECT_EQ(sum.value(), 0);
}

}  // namespace
}  // namespace heed
