#include "heed/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "heed/base/character_width.h"

namespace heed {

namespace {

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";

bool is_control(char32_t character) {
  return character < 0x20 || (character >= 0x7F && character < 0xA0);
}

// Line and paragraph separators, and the marks that turn the direction of the text around them.
bool disturbs_layout(char32_t character) {
  return (character >= 0x2028 && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

}  // namespace

std::optional<char32_t> take_character(std::string_view& text) {
  assert(!text.empty());
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  if (length == 0 || length > text.size()) {
    text.remove_prefix(1);
    return std::nullopt;
  }
  char32_t character = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) {
      text.remove_prefix(1);
      return std::nullopt;
    }
    character = (character << 6) | (next & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character < 0xE000;
  if (character < smallest[length] || surrogate || character > 0x10FFFF) {
    text.remove_prefix(1);
    return std::nullopt;
  }
  text.remove_prefix(length);
  return character;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string on_one_line(std::string text) {
  for (const char end : {'\n', '\r'}) std::ranges::replace(text, end, ' ');
  return text;
}

bool is_utf8(std::string_view text) {
  while (!text.empty())
    if (!take_character(text)) return false;
  return true;
}

int display_width(char32_t character) {
  if (is_control(character)) return 0;
  if (character < 0x300) return 1;
  if (within(zero_width_characters, character)) return 0;
  return within(wide_characters, character) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const std::optional<char32_t> character = take_character(text);
    width += character ? display_width(*character) : 1;
  }
  return width;
}

std::string shorten(std::string_view text, int width) {
  if (width <= 0) return {};
  // No character has more columns than bytes, so short text fits without being measured.
  if (text.size() <= static_cast<size_t>(width)) return std::string(text);
  std::string_view rest = text;
  size_t fitting = 0;  // bytes that leave a column for the ellipsis
  int columns = 0;
  while (!rest.empty()) {
    const std::optional<char32_t> character = take_character(rest);
    columns += character ? display_width(*character) : 1;
    if (columns > width) return std::string(text.substr(0, fitting)) + std::string(ellipsis);
    if (columns < width) fitting = text.size() - rest.size();
  }
  return std::string(text);
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::string_view before = text;
    const std::optional<char32_t> character = take_character(text);
    if (!character)
      result += replacement_character;
    else if (is_control(*character))
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(*character));
    else if (disturbs_layout(*character))
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(*character));
    else
      result += before.substr(0, before.size() - text.size());
  }
  return result;
}

std::string quote(std::string_view text) {
  constexpr int longest = 80;
  // A name may be megabytes long: cut it before the rest of the work. A character has at most four
  // bytes.
  return fmt::format("\"{}\"", shorten(printable(text.substr(0, 4 * (longest + 1))), longest));
}

}  // namespace heed

fmt::format_context::iterator fmt::formatter<heed::Quoted>::format(const heed::Quoted& quoted,
                                                                   format_context& context) {
  return fmt::format_to(context.out(), "{}", heed::quote(quoted.text));
}
