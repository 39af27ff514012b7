#include "heed/data/piece_text.h"

#include <algorithm>
#include <cassert>

#include "heed/base/text.h"

namespace heed {

std::string piece_text(std::string_view text, const ModelNormalisation& normalisation) {
  assert(normalisation.keeps_characters);
  constexpr std::string_view replacement = "\uFFFD";
  const std::string_view space = normalisation.shows_spaces ? "▁" : " ";
  if (normalisation.removes_extra_spaces)
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string result;
  if (text.empty()) return result;
  if (normalisation.adds_space_in_front && !normalisation.has_space_after_word)
    result.append(space);
  bool after_space = normalisation.removes_extra_spaces;
  while (!text.empty()) {
    const std::string_view before = text;
    const bool is_utf8 = take_character(text).has_value();
    const bool is_space = before[0] == ' ';
    const std::string_view character = before.substr(0, before.size() - text.size());
    if (!is_space || !after_space)
      result.append(!is_utf8 ? replacement : is_space ? space : character);
    after_space = is_space && normalisation.removes_extra_spaces;
  }
  if (normalisation.removes_extra_spaces)
    while (result.ends_with(space)) result.erase(result.size() - space.size());
  if (normalisation.adds_space_in_front && normalisation.has_space_after_word) result.append(space);
  return result;
}

}  // namespace heed
