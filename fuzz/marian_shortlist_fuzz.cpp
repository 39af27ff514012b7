// Any bytes, as a binary shortlist of Marian: they are either refused with an Error, or their
// offsets stay within their candidates. The checksum is made to fit, as an attacker would.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "allow_errors.h"
#include "heed/weights/marian_shortlist.h"

namespace {

void fit_checksum(std::vector<std::byte>& bytes) {
  uint64_t sum = 0;
  for (size_t at = 16; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  if (bytes.size() >= 16) std::memcpy(bytes.data() + 8, &sum, 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span<const std::byte> given = std::as_bytes(std::span(data, size));
  std::vector<std::byte> bytes(given.begin(), given.end());
  fit_checksum(bytes);
  allow_errors([&] {
    const heed::MarianShortlist found = heed::parse_marian_shortlist(bytes, "fuzzed");
    for (const uint64_t offset : found.offsets)
      if (offset > found.targets.size()) std::abort();
  });
  return 0;
}
