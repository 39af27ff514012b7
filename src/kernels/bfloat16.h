// Numbers with the range of float32 and 8 bits of precision: its upper half.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// Each number becomes the nearest one that bfloat16 has, ties the even one; NaN stays NaN.
void round_to_bfloat16(std::span<float> x);

// The upper halves of numbers that bfloat16 has, and back.
void pack_bfloat16(std::span<const float> x, std::span<uint16_t> packed);
void unpack_bfloat16(std::span<const uint16_t> packed, std::span<float> x);

}  // namespace heed::kernels
