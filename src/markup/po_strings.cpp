#include "heed/markup/po_strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view escape_letters = "ntrabfv\"\\?'",
                           escape_meanings = "\n\t\r\a\b\f\v\"\\?'";

// Takes the digits of a number off the front, at most `most` of them.
std::optional<char> take_number(std::string_view& text, int base, size_t most) {
  unsigned value = 0;
  const char* last = text.data() + std::min(most, text.size());
  const auto [end, reason] = std::from_chars(text.data(), last, value, base);
  if (reason != std::errc() || value > 0xFF) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return static_cast<char>(value);
}

// What follows a backslash: n and similar, x41, 101.
std::optional<char> take_escape(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const char letter = text[0];
  if (letter >= '0' && letter <= '7') return take_number(text, 8, 3);
  text.remove_prefix(1);
  if (letter == 'x') return take_number(text, 16, 2);
  const size_t found = escape_letters.find(letter);
  return found == escape_letters.npos ? std::nullopt : std::optional(escape_meanings[found]);
}

std::string escaped(char c) {
  constexpr std::string_view harmless = "?'";
  const size_t found = escape_meanings.find(c);
  if (found != escape_meanings.npos && harmless.find(c) == harmless.npos)
    return {'\\', escape_letters[found]};
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7F) return fmt::format("\\{:03o}", byte);
  return {c};
}

// The text in lines, each with what ends it: a \n or, if it gets too wide, a space.
std::vector<std::string> lines_of(std::string_view text) {
  constexpr int widest = 77;  // columns between quotation marks
  std::vector<std::string> lines(1);
  std::string word;
  int line_width = 0, word_width = 0;
  const auto end_word = [&] {
    if (line_width > 0 && line_width + word_width > widest) {
      lines.emplace_back();
      line_width = 0;
    }
    lines.back() += word;
    line_width += word_width;
    word.clear();
    word_width = 0;
  };
  while (!text.empty()) {
    const std::string_view before = text;
    const std::optional<char32_t> character = take_character(text);
    const std::string_view bytes = before.substr(0, before.size() - text.size());
    const std::string written = bytes.size() == 1 ? escaped(bytes[0]) : std::string(bytes);
    word += written;
    word_width += bytes.size() == 1 ? static_cast<int>(written.size())
                                    : (character ? display_width(*character) : 1);
    if (bytes == " " || bytes == "\n") end_word();
    if (bytes == "\n" && !text.empty()) {
      lines.emplace_back();
      line_width = 0;
    }
  }
  end_word();
  return lines;
}

}  // namespace

std::optional<std::string> parse_po_string(std::string_view quoted) {
  if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') return std::nullopt;
  std::string text;
  for (std::string_view rest = quoted.substr(1, quoted.size() - 2); !rest.empty();) {
    const char letter = rest[0];
    rest.remove_prefix(1);
    if (letter == '"') return std::nullopt;
    const std::optional<char> meaning = letter == '\\' ? take_escape(rest) : letter;
    if (!meaning) return std::nullopt;
    text += *meaning;
  }
  return text;
}

std::string write_po_string(std::string_view keyword, std::string_view text,
                            std::string_view line_end) {
  const std::vector<std::string> lines = lines_of(text);
  constexpr size_t widest = 79;
  const size_t width = keyword.size() + 3 + static_cast<size_t>(display_width(lines.front()));
  std::string written(keyword);
  const bool is_one_line = lines.size() == 1 && width <= widest;
  if (!is_one_line) written += fmt::format(" \"\"{}", line_end);
  for (const std::string& line : lines)
    written += fmt::format("{}\"{}\"{}", is_one_line ? " " : "", line, line_end);
  return written;
}

}  // namespace heed
