// Damage as disks, transfers and attackers do it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/random.h"

namespace heed::testing {

// One change of the bytes of a file. Nothing happens to an empty one.
inline void mutate(std::string& bytes, Rng& rng) {
  const auto place = [&] { return static_cast<size_t>(rng.below(bytes.size())); };
  const auto overwrite = [&](const void* from, size_t size) {
    const size_t at = place();
    bytes.replace(at, std::min(size, bytes.size() - at), static_cast<const char*>(from),
                  std::min(size, bytes.size() - at));
  };
  if (bytes.empty()) return;
  switch (rng.below(7)) {
    case 0:  // a bit
      bytes[place()] ^= static_cast<char>(1 << rng.below(8));
      break;
    case 1:  // a byte
      bytes[place()] = static_cast<char>(rng.below(256));
      break;
    case 2: {  // a size that is too large, too small, or negative
      const std::vector<uint64_t> sizes = {
          0, 1, 0x7F, 0xFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, ~uint64_t{0}, uint64_t{1} << 40};
      const uint64_t size = sizes[rng.below(sizes.size())];
      overwrite(&size, size_t{1} << rng.below(4));
      break;
    }
    case 3:  // the end is missing
      bytes.resize(place());
      break;
    case 4:  // a part is missing
      bytes.erase(place(), 1 + rng.below(16));
      break;
    case 5: {  // a part is there twice
      const std::string part = bytes.substr(place(), 1 + rng.below(32));
      bytes.insert(place(), part);
      break;
    }
    default:  // a digit of a text
      for (size_t i = place(), tries = 0; tries < 200; ++tries, i = (i + 1) % bytes.size())
        if (bytes[i] >= '0' && bytes[i] <= '9') {
          bytes[i] = static_cast<char>('0' + rng.below(10));
          break;
        }
  }
}

// One to three changes.
inline std::string mutated(std::string bytes, Rng& rng) {
  for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes) mutate(bytes, rng);
  return bytes;
}

}  // namespace heed::testing
