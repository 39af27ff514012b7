#include "heed/base/c_escapes.h"

#include <algorithm>
#include <charconv>

namespace heed {

namespace {

constexpr std::string_view letters = "ntrabfv\"\\?'", meanings = "\n\t\r\a\b\f\v\"\\?'";

// Takes the digits of a number off the front, at most `most` of them.
std::optional<char> take_number(std::string_view& text, int base, size_t most) {
  unsigned value = 0;
  const char* last = text.data() + std::min(most, text.size());
  const auto [end, reason] = std::from_chars(text.data(), last, value, base);
  if (reason != std::errc() || value > 0xFF) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return static_cast<char>(value);
}

std::optional<char> at_the_same_place(std::string_view from, char c, std::string_view to) {
  const size_t found = from.find(c);
  return found == from.npos ? std::nullopt : std::optional(to[found]);
}

}  // namespace

std::optional<char> take_c_escape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char letter = text[0];
  if (letter >= '0' && letter <= '7') return take_number(text, 8, 3);
  text.remove_prefix(1);
  if (letter == 'x') return take_number(text, 16, 2);
  return at_the_same_place(letters, letter, meanings);
}

std::optional<char> c_escape_letter(char byte) {
  return at_the_same_place(meanings, byte, letters);
}

}  // namespace heed
