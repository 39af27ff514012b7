#include "heed/alignment/word_form.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "heed/base/characters.h"

namespace heed {

namespace {

constexpr size_t longest_form = 64;

// Accents of Latin, Greek and Cyrillic letters. The vowel signs of other scripts are more than
// that.
bool is_accent(char32_t character) { return character >= 0x300 && character <= 0x36F; }

// The letter that an accent was put on.
char32_t without_accent(char32_t character) {
  std::array<utf8proc_int32_t, 32> parts = {};
  int last_class = 0;
  const utf8proc_ssize_t count =
      utf8proc_decompose_char(static_cast<utf8proc_int32_t>(character), parts.data(), parts.size(),
                              UTF8PROC_DECOMPOSE, &last_class);
  const bool has_accent = count >= 2 && is_accent(static_cast<char32_t>(parts[1]));
  return has_accent ? static_cast<char32_t>(parts[0]) : character;
}

}  // namespace

std::u32string word_form(std::u32string_view word, int characters) {
  std::u32string form;
  for (const char32_t character : lowercase(word)) {
    if (is_accent(character)) continue;
    if (characters > 0 && form.size() == static_cast<size_t>(characters)) break;
    form += without_accent(character);
  }
  return form.empty() ? std::u32string(word) : form;
}

double likeness(std::u32string_view one, std::u32string_view other) {
  one = one.substr(0, longest_form);
  other = other.substr(0, longest_form);
  if (one == other) return 1;
  if (std::min(one.size(), other.size()) < 2) return 0;
  // common[j]: the longest common subsequence of what has been read of `one` and the first j
  // characters of `other`.
  std::array<size_t, longest_form + 1> common = {};
  for (const char32_t character : one) {
    size_t diagonal = 0;
    for (size_t j = 0; j < other.size(); ++j) {
      const size_t above = common[j + 1];
      common[j + 1] = other[j] == character ? diagonal + 1 : std::max(above, common[j]);
      diagonal = above;
    }
  }
  const double share = static_cast<double>(common[other.size()]) /
                       static_cast<double>(std::max(one.size(), other.size()));
  return share < 0.5 ? 0 : share;
}

}  // namespace heed
