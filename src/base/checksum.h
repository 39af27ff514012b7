// Checksums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed {

// CRC-32, as in gzip and PNG. For several pieces, pass the result of one call to the next.
uint32_t checksum(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace heed
