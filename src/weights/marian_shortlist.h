// The binary shortlist of Marian and Bergamot, lex.*.s2t.bin. The parser trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heed {

struct MarianShortlist {
  uint64_t frequent = 0;          // so many words, counted from 0, are candidates of every sentence
  std::vector<uint64_t> offsets;  // of each source word's candidates; one more than source words
  std::vector<uint32_t> targets;  // in Marian's numbers
};

// An Error that begins with `file` if the bytes are no shortlist, or damaged as its checksum shows.
MarianShortlist parse_marian_shortlist(std::span<const std::byte> bytes, const std::string& file);

}  // namespace heed
