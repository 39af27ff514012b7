#include "heed/data/traced_text.h"

#include <algorithm>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr char32_t replacement_character = 0xFFFD;

}  // namespace

TracedText::TracedText(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t begin = text.size() - rest.size();
    const char32_t character = take_character(rest).value_or(replacement_character);
    push(character, {begin, text.size() - rest.size()});
  }
}

TextRange TracedText::origin(size_t begin, size_t end) const {
  TextRange all;
  for (size_t i = begin; i < end; ++i) {
    const TextRange own = origins_[i];
    if (own.size() == 0 || is_space(characters_[i])) continue;
    all = all.size() == 0 ? own
                          : TextRange{std::min(all.begin, own.begin), std::max(all.end, own.end)};
  }
  return all;
}

void TracedText::push(char32_t character, TextRange origin) {
  characters_.push_back(character);
  origins_.push_back(origin);
}

void TracedText::push(std::u32string_view characters, TextRange origin) {
  characters_ += characters;
  origins_.insert(origins_.end(), characters.size(), origin);
}

void TracedText::push(const TracedText& from, size_t begin, size_t end) {
  characters_.append(from.characters_, begin, end - begin);
  const auto first = from.origins_.begin();
  origins_.insert(origins_.end(), first + static_cast<ptrdiff_t>(begin),
                  first + static_cast<ptrdiff_t>(end));
}

TracedText TracedText::part(size_t begin, size_t end) const {
  TracedText found;
  found.push(*this, begin, end);
  return found;
}

TracedText TracedText::stripped() const {
  size_t begin = 0, end = size();
  while (begin < end && is_space(characters_[begin])) ++begin;
  while (begin < end && is_space(characters_[end - 1])) --end;
  return part(begin, end);
}

void TracedText::replace(std::u32string_view from, std::u32string_view to) {
  size_t found = characters_.find(from);
  if (found == characters_.npos) return;
  TracedText result;
  size_t done = 0;
  for (; found != characters_.npos; found = characters_.find(from, done)) {
    result.push(*this, done, found);
    done = found + from.size();
    const TextRange whole = origin(found, done);
    for (const char32_t character : to) {
      const size_t kept = from.find(character);
      const TextRange put_in = character == U' ' ? TextRange() : whole;
      result.push(character, kept != from.npos ? origins_[found + kept] : put_in);
    }
  }
  result.push(*this, done, size());
  *this = std::move(result);
}

void TracedText::join_blanks() {
  if (characters_.find(U"  ") == characters_.npos) return;
  TracedText result;
  for (size_t i = 0; i < size(); ++i)
    if (characters_[i] != U' ' || i == 0 || characters_[i - 1] != U' ')
      result.push(characters_[i], origins_[i]);
  *this = std::move(result);
}

}  // namespace heed
