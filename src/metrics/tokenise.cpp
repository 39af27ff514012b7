#include "heed/metrics/tokenise.h"

#include <algorithm>

#include "heed/base/character_range.h"
#include "heed/base/characters.h"

namespace heed {

namespace {

// Where to insert a space: before a character, after it, or both.
constexpr unsigned before = 1, after = 2;

bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }
bool is_not_digit(char32_t c) { return !is_digit(c); }
bool is_not_number(char32_t c) { return !is_number(c); }
bool is_period_or_comma(char32_t c) { return c == U'.' || c == U','; }
bool is_dash(char32_t c) { return c == U'-'; }

// ASCII without letters, digits, apostrophe, comma, dash and period.
bool is_western_punctuation(char32_t c) {
  return (c >= U'{' && c <= U'~') || (c >= U'[' && c <= U'`') || (c >= U' ' && c <= U'&') ||
         (c >= U'(' && c <= U'+') || (c >= U':' && c <= U'@') || c == U'/';
}

// What the usual tokeniser treats as Chinese. The third range is a mistake of its authors, who
// meant U+20000 to U+2A6D6, but scores are comparable only if everyone makes it.
constexpr CharacterRange chinese_characters[] = {
    {0x2001, 0x2A6D}, {0x2E80, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
    {0x31C0, 0x31EF}, {0x3200, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
    {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};

void append_spaced(std::u32string& text, char32_t c, unsigned spaces) {
  if (spaces & before) text.push_back(U' ');
  text.push_back(c);
  if (spaces & after) text.push_back(U' ');
}

template <typename Test>
std::u32string space_out(std::u32string_view text, Test test) {
  std::u32string spaced;
  spaced.reserve(2 * text.size());
  for (const char32_t c : text) append_spaced(spaced, c, test(c) ? before | after : 0);
  return spaced;
}

// Puts spaces around one character of each pair that passes the tests, from left to right: a
// character that was the second of a pair is not the first of another.
template <typename First, typename Second>
std::u32string space_out_pairs(std::u32string_view text, First first, Second second,
                               unsigned around_first, unsigned around_second) {
  std::u32string spaced;
  spaced.reserve(2 * text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const bool pair = i + 1 < text.size() && first(text[i]) && second(text[i + 1]);
    append_spaced(spaced, text[i], pair ? around_first : 0);
    if (pair) append_spaced(spaced, text[++i], around_second);
  }
  return spaced;
}

std::u32string space_out_western(std::u32string_view text) {
  std::u32string spaced = space_out(text, is_western_punctuation);
  spaced = space_out_pairs(spaced, is_not_digit, is_period_or_comma, 0, before | after);
  spaced = space_out_pairs(spaced, is_period_or_comma, is_not_digit, before | after, 0);
  return space_out_pairs(spaced, is_digit, is_dash, 0, before | after);
}

void replace_all(std::u32string& text, std::u32string_view what, std::u32string_view with) {
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

std::u32string space_out_13a(std::u32string_view text) {
  std::u32string plain(text);
  replace_all(plain, U"<skipped>", U"");
  replace_all(plain, U"-\n", U"");
  replace_all(plain, U"\n", U" ");
  replace_all(plain, U"&quot;", U"\"");
  replace_all(plain, U"&amp;", U"&");
  replace_all(plain, U"&lt;", U"<");
  replace_all(plain, U"&gt;", U">");
  // The ends of the text count as non-digits.
  return space_out_western(U" " + plain + U" ");
}

std::u32string space_out_international(std::u32string_view text) {
  std::u32string spaced = space_out_pairs(text, is_not_number, is_punctuation, 0, before | after);
  spaced = space_out_pairs(spaced, is_punctuation, is_not_number, before | after, 0);
  return space_out(spaced, is_symbol);
}

std::u32string space_out_chinese(std::u32string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), text.rend(), is_space).base();
  if (first >= last) return {};
  const auto is_chinese = [](char32_t c) { return within(chinese_characters, c); };
  return space_out_western(space_out(std::u32string_view(first, last), is_chinese));
}

std::u32string space_out(Tokeniser tokeniser, std::u32string_view text) {
  switch (tokeniser) {
    case Tokeniser::none:
      return std::u32string(text);
    case Tokeniser::v13a:
      return space_out_13a(text);
    case Tokeniser::international:
      return space_out_international(text);
    case Tokeniser::chinese:
      return space_out_chinese(text);
    case Tokeniser::character:
      return space_out(text, [](char32_t) { return true; });
  }
  __builtin_unreachable();
}

}  // namespace

std::string_view name_of(Tokeniser tokeniser) {
  switch (tokeniser) {
    case Tokeniser::none:
      return "none";
    case Tokeniser::v13a:
      return "13a";
    case Tokeniser::international:
      return "intl";
    case Tokeniser::chinese:
      return "zh";
    case Tokeniser::character:
      return "char";
  }
  __builtin_unreachable();
}

std::vector<std::u32string> tokenise(Tokeniser tokeniser, std::u32string_view text) {
  const std::u32string spaced = space_out(tokeniser, text);
  const std::vector<std::u32string_view> words = split_at_spaces(spaced);
  return {words.begin(), words.end()};
}

}  // namespace heed
