// The bytes of UTF-8, without decoding it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace heed {

// Of a character of several bytes, any but the first.
inline bool is_inside_character(char byte) { return (static_cast<uint8_t>(byte) & 0xC0) == 0x80; }

inline int64_t count_characters(std::string_view text) {
  return static_cast<int64_t>(text.size()) - std::ranges::count_if(text, is_inside_character);
}

}  // namespace heed
