#include "heed/data/tag_name.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr std::string_view begin = ">>", end = "<<";
constexpr size_t longest_name = 64;  // bytes

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > longest_name || printable(text) != text) return false;
  return std::ranges::none_of(characters_of(text), [](char32_t character) {
    return is_space(character) || character == U'<' || character == U'>';
  });
}

}  // namespace

std::optional<std::string_view> tag_of_token(std::string_view token) {
  if (token.size() < begin.size() + end.size() || !token.starts_with(begin) ||
      !token.ends_with(end))
    return std::nullopt;
  const std::string_view name =
      token.substr(begin.size(), token.size() - begin.size() - end.size());
  if (!is_name(name)) return std::nullopt;
  return name;
}

std::optional<std::string_view> tag_name(std::string_view word) {
  if (is_name(word)) return word;
  return tag_of_token(word);
}

std::string token_of_tag(std::string_view name) { return fmt::format("{}{}{}", begin, name, end); }

}  // namespace heed
