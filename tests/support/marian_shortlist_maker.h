// Binary shortlists of Marian to test with.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "marian_maker.h"

namespace heed::testing {

inline std::string marian_shortlist_bytes(uint64_t frequent, const std::vector<uint64_t>& offsets,
                                          const std::vector<uint32_t>& targets) {
  Bytes rest;
  rest.number(frequent).number(uint64_t{50});
  rest.number(static_cast<uint64_t>(offsets.size())).number(static_cast<uint64_t>(targets.size()));
  rest.text(bytes_of(offsets)).text(bytes_of(targets));
  uint64_t sum = 0;
  for (size_t at = 0; at + 8 <= rest.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, rest.str().data() + at, 8);
    sum ^= word + 0x9e3779b9 + (sum << 6) + (sum >> 2);
  }
  return Bytes().number(uint64_t{0xF11A48D5013417F5}).number(sum).text(rest.str()).str();
}

}  // namespace heed::testing
