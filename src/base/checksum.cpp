#include "heed/base/checksum.h"

#include <libdeflate.h>

namespace heed {

uint32_t checksum(std::span<const std::byte> bytes, uint32_t before) {
  // It would begin anew where there is no memory at all.
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace heed
