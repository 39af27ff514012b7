#include "heed/data/added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "heed/data/bert_normaliser.h"

namespace heed {

namespace {

// What regular expressions call \w.
bool belongs_to_a_word(char32_t c) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ND) ||
         category == UTF8PROC_CATEGORY_NL || category == UTF8PROC_CATEGORY_PC || c == 0x200C ||
         c == 0x200D;
}

bool is_whole_word(std::u32string_view text, size_t begin, size_t end) {
  return (begin == 0 || !belongs_to_a_word(text[begin - 1])) &&
         (end == text.size() || !belongs_to_a_word(text[end]));
}

}  // namespace

void AddedTokens::add(AddedToken token) {
  std::vector<AddedToken>& alike = tokens_[token.text.front()];
  const auto shorter = std::ranges::find_if(
      alike, [&](const AddedToken& other) { return other.text.size() < token.text.size(); });
  alike.insert(shorter, std::move(token));
}

const AddedToken* AddedTokens::longest_at(std::u32string_view text, size_t place) const {
  const auto alike = tokens_.find(text[place]);
  if (alike == tokens_.end()) return nullptr;
  const auto found = std::ranges::find_if(alike->second, [&](const AddedToken& token) {
    return text.substr(place).starts_with(token.text);
  });
  return found == alike->second.end() ? nullptr : &*found;
}

AddedTokens::Split AddedTokens::split(std::u32string_view text) const {
  Split split;
  size_t part = 0;  // where the current one begins
  for (size_t place = 0; place < text.size();) {
    const AddedToken* token = longest_at(text, place);
    if (token == nullptr) {
      ++place;
      continue;
    }
    size_t begin = place, end = place + token->text.size();
    place = end;
    if (token->whole_word && !is_whole_word(text, begin, end)) continue;
    if (token->takes_spaces_before)
      while (begin > part && is_white_space(text[begin - 1])) --begin;
    if (token->takes_spaces_after)
      while (end < text.size() && is_white_space(text[end])) ++end;
    split.parts.push_back(text.substr(part, begin - part));
    split.tokens.push_back(token->id);
    part = place = end;
  }
  split.parts.push_back(text.substr(part));
  return split;
}

}  // namespace heed
