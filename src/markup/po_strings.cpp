#include "heed/markup/po_strings.h"

#include <fmt/format.h>

#include <vector>

#include "heed/base/c_escapes.h"
#include "heed/base/text.h"

namespace heed {

namespace {

std::string escaped(char c) {
  const std::optional<char> letter = c_escape_letter(c);
  if (letter && c != '?' && c != '\'') return {'\\', *letter};
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
    const std::optional<char> meaning = letter == '\\' ? take_c_escape(rest) : letter;
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
