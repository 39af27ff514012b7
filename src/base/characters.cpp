#include "heed/base/characters.h"

#include <algorithm>
#include <iterator>

#include "heed/base/character_classes.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr char32_t replacement_character = 0xFFFD;
constexpr char32_t capital_sigma = 0x03A3, small_sigma = 0x03C3, final_sigma = 0x03C2;
constexpr char32_t capital_i_with_dot = 0x0130, dot_above = 0x0307;

bool cased(char32_t character) { return within(cased_characters, character); }
bool case_ignorable(char32_t character) { return within(case_ignorable_characters, character); }

char32_t simple_lowercase(char32_t character) {
  if (character < 0x80)
    return character >= 'A' && character <= 'Z' ? character + ('a' - 'A') : character;
  const auto run = std::lower_bound(std::begin(lowercase_runs), std::end(lowercase_runs), character,
                                    [](const LowercaseRun& r, char32_t c) { return r.last < c; });
  const bool found = run != std::end(lowercase_runs) && run->first <= character &&
                     (character - run->first) % static_cast<char32_t>(run->step) == 0;
  return found ? static_cast<char32_t>(static_cast<int64_t>(character) + run->distance) : character;
}

// A cased letter comes before it and none after it, ignoring characters that do not count.
bool ends_a_word(std::u32string_view text, size_t sigma) {
  const auto first_that_counts = [](auto begin, auto end) {
    return std::find_if_not(begin, end, case_ignorable);
  };
  const auto before = std::make_reverse_iterator(text.begin() + static_cast<ptrdiff_t>(sigma));
  const auto cased_before = first_that_counts(before, text.rend());
  if (cased_before == text.rend() || !cased(*cased_before)) return false;
  const auto next = first_that_counts(text.begin() + static_cast<ptrdiff_t>(sigma) + 1, text.end());
  return next == text.end() || !cased(*next);
}

}  // namespace

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  while (!text.empty()) characters.push_back(take_character(text).value_or(replacement_character));
  return characters;
}

std::string text_of(std::u32string_view characters) {
  std::string text;
  const auto tail = [&](char32_t c, int shift) {
    text.push_back(static_cast<char>(0x80 | ((c >> shift) & 0x3F)));
  };
  for (char32_t c : characters) {
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = replacement_character;
    if (c < 0x80) {
      text.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
      text.push_back(static_cast<char>(0xC0 | (c >> 6)));
      tail(c, 0);
    } else if (c < 0x10000) {
      text.push_back(static_cast<char>(0xE0 | (c >> 12)));
      tail(c, 6);
      tail(c, 0);
    } else {
      text.push_back(static_cast<char>(0xF0 | (c >> 18)));
      tail(c, 12);
      tail(c, 6);
      tail(c, 0);
    }
  }
  return text;
}

bool is_written_without_spaces(char32_t character) {
  struct Range {
    char32_t first, last;
  };
  static constexpr Range ranges[] = {
      {0x0E00, 0x0EFF},    // Thai, Lao
      {0x1000, 0x109F},    // Burmese
      {0x1780, 0x17FF},    // Khmer
      {0x2E80, 0x2FDF},    // radicals
      {0x3005, 0x3007},    // repetition and closing marks, zero
      {0x3021, 0x3029},    // numerals
      {0x3031, 0x312F},    // kana, bopomofo
      {0x31A0, 0x31FF},    // more of both
      {0x3400, 0x4DBF},    // Chinese characters
      {0x4E00, 0x9FFF},    //
      {0xA9E0, 0xA9FF},    // more Burmese
      {0xF900, 0xFAFF},    // compatible Chinese characters
      {0xFF66, 0xFF9F},    // narrow kana
      {0x1AFF0, 0x1B16F},  // rare kana
      {0x20000, 0x3FFFD},  // rare Chinese characters
  };
  return std::ranges::any_of(ranges, [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

bool is_space(char32_t character) { return within(space_characters, character); }
bool is_punctuation(char32_t character) { return within(punctuation_characters, character); }
bool is_symbol(char32_t character) { return within(symbol_characters, character); }
bool is_number(char32_t character) { return within(number_characters, character); }

bool is_part_of_word(char32_t character) {
  return !is_space(character) && !is_punctuation(character) && !is_symbol(character) &&
         !is_number(character);
}

std::u32string lowercase(std::u32string_view text) {
  std::u32string lower;
  lower.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_sigma)
      lower.push_back(ends_a_word(text, i) ? final_sigma : small_sigma);
    else if (text[i] == capital_i_with_dot)
      lower.append({U'i', dot_above});
    else
      lower.push_back(simple_lowercase(text[i]));
  }
  return lower;
}

std::vector<std::u32string_view> split_at_spaces(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  auto end = text.begin();
  while (true) {
    const auto begin = std::find_if_not(end, text.end(), is_space);
    if (begin == text.end()) return words;
    end = std::find_if(begin, text.end(), is_space);
    words.emplace_back(begin, end);
  }
}

}  // namespace heed
