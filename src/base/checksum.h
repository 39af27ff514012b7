// Whether bytes are still what they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed {

// CRC-32, as gzip and PNG have it. Of several pieces: each call takes what the one before gave.
uint32_t checksum(std::span<const std::byte> bytes, uint32_t before = 0);

}  // namespace heed
