#include "heed/weights/stored_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace heed {
namespace {

TEST(StoredNumbers, EveryHalfComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = from_half(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(from_half(to_half(value))));
    else
      EXPECT_EQ(to_half(value), half) << bits;
  }
}

// Between two neighbours: a little less than the middle, the middle, a little more.
TEST(StoredNumbers, RoundsToTheNearestHalf) {
  for (uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const float middle = 0.5f * (from_half(low) + from_half(high));
    EXPECT_EQ(to_half(std::nextafter(middle, 0.0f)), low) << bits;
    EXPECT_EQ(to_half(std::nextafter(middle, 1e9f)), high) << bits;
    EXPECT_EQ(to_half(middle), bits % 2 == 0 ? low : high) << bits;
    EXPECT_EQ(to_half(-middle), 0x8000u | (bits % 2 == 0 ? low : high)) << bits;
  }
}

TEST(StoredNumbers, WhatIsTooLargeIsInfinite) {
  EXPECT_EQ(to_half(65519.0f), 0x7BFF);
  EXPECT_EQ(to_half(65520.0f), 0x7C00);
  EXPECT_EQ(to_half(-1e30f), 0xFC00);
  EXPECT_EQ(to_half(std::numeric_limits<float>::infinity()), 0x7C00);
}

}  // namespace
}  // namespace heed
