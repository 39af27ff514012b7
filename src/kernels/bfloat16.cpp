#include "heed/kernels/bfloat16.h"

#include <bit>
#include <cstddef>

namespace heed::kernels {

// Plain loops over integers, which compilers vectorise.

void round_to_bfloat16(std::span<float> x) {
  for (float& number : x) {
    const uint32_t bits = std::bit_cast<uint32_t>(number);
    const uint32_t even = (bits >> 16) & 1;
    const uint32_t rounded = (bits + 0x7FFF + even) & 0xFFFF0000;
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    number = std::bit_cast<float>(is_nan ? uint32_t{0x7FC00000} : rounded);
  }
}

void pack_bfloat16(std::span<const float> x, std::span<uint16_t> packed) {
  for (size_t i = 0; i < x.size(); ++i)
    packed[i] = static_cast<uint16_t>(std::bit_cast<uint32_t>(x[i]) >> 16);
}

void unpack_bfloat16(std::span<const uint16_t> packed, std::span<float> x) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::bit_cast<float>(static_cast<uint32_t>(packed[i]) << 16);
}

}  // namespace heed::kernels
