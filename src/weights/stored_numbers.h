// Numbers as they are stored in files.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace heed {

// IEEE half precision: 1 sign bit, 5 of exponent, 10 of fraction.
inline float from_half(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1Fu;
  const uint32_t fraction = half & 0x3FFu;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  // Infinities and NaNs keep the highest exponent; the others move from a bias of 15 to one of 127.
  const uint32_t widened = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (widened << 23) | (fraction << 13));
}

// The nearest half, ties to even; infinity if the number is too large.
inline uint16_t to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const float magnitude = std::bit_cast<float>(bits & 0x7FFFFFFFu);
  const auto signed_half = [&](uint32_t half) { return static_cast<uint16_t>(sign | half); };
  if (!(magnitude < 65520.0f)) return signed_half(magnitude != magnitude ? 0x7E00u : 0x7C00u);
  // Below the smallest normal half the steps are all 2^-24; adding this number leaves them in the
  // lowest bits.
  if (magnitude < 0x1p-14f) return signed_half(std::bit_cast<uint32_t>(magnitude + 0.5f) & 0x7FFu);
  const uint32_t rounded = (bits & 0x7FFFFFFFu) + 0xFFFu + ((bits >> 13) & 1u);
  return signed_half((rounded >> 13) - ((127u - 15u) << 10));
}

// The upper half of a float32.
inline float from_bfloat16(uint16_t upper) {
  return std::bit_cast<float>(static_cast<uint32_t>(upper) << 16);
}

// The numbers in a file need not be aligned, so each is copied out.
template <typename Stored, typename Wanted, typename Convert>
void convert_numbers(std::span<const std::byte> bytes, std::span<Wanted> values,
                     Convert convert_one) {
  assert(bytes.size() == values.size() * sizeof(Stored));
  for (size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = static_cast<Wanted>(
        convert_one(stored));  // NOLINT(bugprone-signed-char-misuse): I8 is a number
  }
}

}  // namespace heed
