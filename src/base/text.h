// UTF-8 text: validity, width on a terminal, and making text from elsewhere safe to print.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>

namespace heed {

// Removes the first character from `text`, which is not empty. If the bytes are not UTF-8 (nor are
// overlong forms, surrogates and values above U+10FFFF), removes one byte and returns nothing.
std::optional<char32_t> take_character(std::string_view& text);

// Takes the first line off the front of `text`, which is not empty: without its end, LF.
std::string_view take_line(std::string_view& text);

// With a space in place of each end of a line, LF or CR.
std::string on_one_line(std::string text);

bool is_utf8(std::string_view text);

// Columns that a terminal gives to a character or a text: 0 for combining marks and control
// characters, 2 for East Asian wide characters and emoji, 1 for the rest and for a byte that is not
// UTF-8.
int display_width(char32_t character);
int display_width(std::string_view text);

// `text` if it fits into `width` columns, otherwise its beginning and "…", at most `width` wide.
std::string shorten(std::string_view text, int width);

// Safe to print: control characters become \x1b and the like, invalid bytes become U+FFFD.
std::string printable(std::string_view text);

// Text from a file, made printable, shortened and put between quotation marks, for use in a
// sentence.
std::string quote(std::string_view text);

// The same for arguments of require() and fail(), at no cost unless there is an error.
struct Quoted {
  std::string_view text;
};

}  // namespace heed

// Not derived from the formatter of texts, whose code every source would compile again.
template <>
struct fmt::formatter<heed::Quoted> {
  static constexpr auto parse(format_parse_context& context) { return context.begin(); }
  static format_context::iterator format(const heed::Quoted& quoted, format_context& context);
};
