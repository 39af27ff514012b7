#include "heed/kernels/bfloat16.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/base/random.h"

namespace heed::kernels {
namespace {

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

// The definition: of the two neighbours that bfloat16 has, the nearer; of two as near, the even
// one.
float plainly_rounded(float x) {
  if (std::isnan(x) || std::isinf(x)) return x;
  const uint32_t bits = std::bit_cast<uint32_t>(x), below = bits & 0xFFFF0000;
  const double low = from_bits(below);
  // Beyond the largest number, as if there were one more power of two.
  const double step = std::ldexp(1.0, std::max(std::ilogb(low == 0 ? 1e-45f : x), -126) - 7);
  const double high = low + std::copysign(step, x);
  const double to_low = std::abs(x - low), to_high = std::abs(high - x);
  const bool low_is_even = ((below >> 16) & 1) == 0;
  const bool takes_low = to_low < to_high || (to_low == to_high && low_is_even);
  return static_cast<float>(takes_low ? low : high);
}

TEST(Bfloat16, RoundsToTheNearest) {
  Rng rng(3);
  std::vector<float> numbers = {0.0f,
                                -0.0f,
                                1.0f,
                                1.00390625f,
                                1.01171875f,
                                1e-40f,
                                -3e-39f,
                                3.0e38f,
                                3.4e38f,
                                -3.4e38f,
                                std::numeric_limits<float>::max(),
                                std::numeric_limits<float>::infinity()};
  for (int i = 0; i < 100000; ++i) {
    const float number = from_bits(static_cast<uint32_t>(rng.below(uint64_t{1} << 32)));
    if (!std::isnan(number)) numbers.push_back(number);
  }
  std::vector<float> rounded = numbers;
  round_to_bfloat16(rounded);
  for (size_t i = 0; i < numbers.size(); ++i)
    ASSERT_EQ(std::bit_cast<uint32_t>(rounded[i]),
              std::bit_cast<uint32_t>(plainly_rounded(numbers[i])))
        << numbers[i];
}

TEST(Bfloat16, ANumberThatIsNoneStaysNone) {
  std::vector<float> numbers = {from_bits(0x7F800001), from_bits(0x7FFFFFFF), from_bits(0xFFFFFFFF),
                                std::numeric_limits<float>::quiet_NaN()};
  round_to_bfloat16(numbers);
  for (const float number : numbers) EXPECT_TRUE(std::isnan(number));
}

TEST(Bfloat16, WhatIsPackedComesBack) {
  std::vector<float> numbers;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) numbers.push_back(from_bits(upper << 16));
  std::vector<uint16_t> packed(numbers.size());
  std::vector<float> unpacked(numbers.size());
  pack_bfloat16(numbers, packed);
  unpack_bfloat16(packed, unpacked);
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    ASSERT_EQ(packed[upper], upper);
    ASSERT_EQ(std::bit_cast<uint32_t>(unpacked[upper]), upper << 16);
  }
}

}  // namespace
}  // namespace heed::kernels
