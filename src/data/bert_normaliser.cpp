#include "heed/data/bert_normaliser.h"

#include <utf8proc.h>

#include <algorithm>

#include "heed/base/characters.h"

namespace heed {

namespace {

utf8proc_category_t category_of(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

// Of the private use areas, Hugging Face's table has only the first and the last character.
bool ends_private_use(char32_t c) {
  return c == 0xE000 || c == 0xF8FF || c == 0xF0000 || c == 0xFFFFD || c == 0x100000 ||
         c == 0x10FFFD;
}

bool is_dropped(char32_t c) {
  if (c == U'\t' || c == U'\n' || c == U'\r') return false;
  const utf8proc_category_t category = category_of(c);
  return c == 0xFFFD || category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
         ends_private_use(c);
}

// The blocks that Hugging Face lists: 2B820 to 2B91F are not among them.
bool is_cjk(char32_t c) {
  struct Block {
    char32_t first, last;
  };
  constexpr Block blocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                              {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                              {0x2F800, 0x2FA1F}};
  return std::ranges::any_of(
      blocks, [&](const Block& block) { return block.first <= c && c <= block.last; });
}

std::u32string cleaned(std::u32string_view text) {
  std::u32string result;
  for (const char32_t c : text)
    if (!is_dropped(c)) result.push_back(is_white_space(c) ? U' ' : c);
  return result;
}

std::u32string with_separate_cjk(std::u32string_view text) {
  std::u32string result;
  for (const char32_t c : text) {
    if (is_cjk(c))
      result.append({U' ', c, U' '});
    else
      result.push_back(c);
  }
  return result;
}

// Marks are put into their order before some are dropped: others may move.
std::u32string decomposed(std::u32string_view text) {
  constexpr int most = 4;  // of what one character becomes
  std::u32string result;
  for (const char32_t c : text) {
    if (c < 0x80) {
      result.push_back(c);
      continue;
    }
    utf8proc_int32_t parts[most];
    int boundary = 0;
    const utf8proc_ssize_t found = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts,
                                                           most, UTF8PROC_DECOMPOSE, &boundary);
    if (found < 0 || found > most)
      result.push_back(c);
    else
      for (utf8proc_ssize_t i = 0; i < found; ++i)
        result.push_back(static_cast<char32_t>(parts[i]));
  }
  const auto order = [](char32_t c) {
    return c < 0x80 ? 0 : utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
  };
  for (auto begin = result.begin(); begin != result.end();) {
    begin = std::find_if(begin, result.end(), order);
    const auto end = std::find_if_not(begin, result.end(), order);
    std::ranges::stable_sort(begin, end, {}, order);
    begin = end;
  }
  return result;
}

std::u32string without_accents(std::u32string_view text) {
  std::u32string result = decomposed(text);
  std::erase_if(result, [](char32_t c) { return category_of(c) == UTF8PROC_CATEGORY_MN; });
  return result;
}

// A capital sigma does not look at its neighbours.
std::u32string each_lowercase(std::u32string_view text) {
  std::u32string result;
  for (size_t i = 0; i < text.size(); ++i) result += lowercase(text.substr(i, 1));
  return result;
}

bool is_mark(char32_t c) {
  if (c < 0x80) return is_punctuation(c) || is_symbol(c);
  const utf8proc_category_t category = category_of(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

}  // namespace

bool is_white_space(char32_t character) {
  return is_space(character) && !(character >= 0x1C && character <= 0x1F);
}

std::u32string BertNormaliser::operator()(std::u32string_view text) const {
  std::u32string result(text);
  if (cleans) result = cleaned(result);
  if (separates_cjk) result = with_separate_cjk(result);
  if (strips_accents) result = without_accents(result);
  if (lowercases) result = each_lowercase(result);
  return result;
}

std::vector<std::u32string_view> bert_words(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = begin;
    while (end < text.size() && !is_white_space(text[end]) && !is_mark(text[end])) ++end;
    if (end == begin) ++end;
    if (!is_white_space(text[begin])) words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

}  // namespace heed
