#include "heed/visualisation/packed_values.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cmath>
#include <limits>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char letter : text) {
    if (letter == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(letters.find(letter));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

// The bytes as the page sees them.
std::string unpacked(const PackedValues& packed) {
  const std::string compressed = from_base64(packed.data);
  std::string bytes(1 << 16, '\0');
  size_t size = 0;
  libdeflate_decompressor* decompressor = libdeflate_alloc_decompressor();
  EXPECT_EQ(libdeflate_zlib_decompress(decompressor, compressed.data(), compressed.size(),
                                       bytes.data(), bytes.size(), &size),
            LIBDEFLATE_SUCCESS);
  libdeflate_free_decompressor(decompressor);
  bytes.resize(size);
  return bytes;
}

Tensor wavy(const Shape& shape, float low, float high) {
  Tensor values = Tensor::zeros(shape);
  for (size_t i = 0; i < values.span<float>().size(); ++i)
    values.span<float>()[i] =
        low + (high - low) * 0.5f * (1 + std::sin(1.7f * static_cast<float>(i)));
  return values;
}

TEST(PackedValues, AreOffByHalfAStepAtMost) {
  const Tensor values = wavy({2, 3, 4, 5}, 0.0f, 0.8f);
  const PackedValues packed = pack_values(values, {});
  const std::string bytes = unpacked(packed);
  ASSERT_EQ(bytes.size(), 120);
  ASSERT_EQ(packed.scales.size(), 6);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double scale = packed.scales[i / 20];
    EXPECT_NEAR(static_cast<uint8_t>(bytes[i]) / 255.0 * scale, values.span<float>()[i],
                scale / 510 + 1e-7);
  }
}

TEST(PackedValues, SignedOnesGoBothWays) {
  const Tensor values = wavy({1, 2, 3, 7}, -4.0f, 2.0f);
  const PackedValues packed = pack_values(values, {.is_signed = true});
  EXPECT_TRUE(packed.is_signed);
  const std::string bytes = unpacked(packed);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double scale = packed.scales[i / 21];
    EXPECT_NEAR(static_cast<int8_t>(bytes[i]) / 127.0 * scale, values.span<float>()[i],
                scale / 254 + 1e-6);
  }
}

TEST(PackedValues, CausalRowsGrowByOneKeyEach) {
  const Tensor values = Tensor::of({1, 1, 3, 3}, {1, 0, 0, 0.2f, 0.8f, 0, 0.6f, 0, 0.4f});
  EXPECT_EQ(unpacked(pack_values(values, {.causal = true})),
            std::string("\xFF\x33\xCC\x99\0\x66", 6));
}

TEST(PackedValues, NothingButZerosHasAScaleOfZero) {
  const PackedValues packed = pack_values(Tensor::zeros({1, 1, 2, 2}), {});
  EXPECT_EQ(packed.scales, std::vector<double>{0});
  EXPECT_EQ(unpacked(packed), std::string(4, '\0'));
}

TEST(PackedValues, WhatCannotBeShownIsRefused) {
  Tensor values = Tensor::zeros({1, 1, 2, 3});
  EXPECT_EQ(error_of([&] { pack_values(values, {.causal = true}); }),
            "attention page: 2 queries and 3 keys, but a causal part has as many of both");
  values.span<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_of([&] { pack_values(values, {}); }),
            "attention page: a value of nan but finite ones were expected");
  EXPECT_NE(error_of([&] { pack_values(Tensor::zeros({2, 3}), {}); }), "");
}

}  // namespace
}  // namespace heed
