// Counts the tags of a page, by rules of its own rather than those of src/markup.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace heed::testing {

// Tags by how they are written, without their ids: "<b>", "</b>", "<img src=1>". Not of what is
// inside comments, scripts and the like.
inline std::map<std::string, int> count_tags(std::string_view page) {
  std::map<std::string, int> counts;
  const auto lower = [](std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return text;
  };
  for (size_t at = page.find('<'); at != page.npos; at = page.find('<', at)) {
    if (page.substr(at).starts_with("<!--")) {
      const size_t end = page.find("-->", at);
      ++counts[std::string(page.substr(at, end == page.npos ? end : end + 3 - at))];
      at = end == page.npos ? page.size() : end + 3;
      continue;
    }
    size_t end = at + 1;
    char quote = 0;
    for (; end < page.size() && (quote != 0 || page[end] != '>'); ++end) {
      const char before = page[end - 1];
      if (quote != 0 && page[end] == quote)
        quote = 0;
      else if (quote == 0 && (page[end] == '"' || page[end] == '\'') && before == '=')
        quote = page[end];
    }
    const bool is_tag =
        end < page.size() && at + 1 < page.size() &&
        (std::isalpha(static_cast<unsigned char>(page[at + 1])) != 0 || page[at + 1] == '/');
    if (!is_tag) {
      ++at;
      continue;
    }
    std::string tag(page.substr(at, end + 1 - at));
    if (const size_t id = tag.find(" id="); id != tag.npos) {
      const size_t value = id + 4;
      const bool is_quoted = tag[value] == '"' || tag[value] == '\'';
      const size_t stop =
          is_quoted ? tag.find(tag[value], value + 1) + 1 : tag.find_first_of(" />", value);
      tag.erase(id, stop - id);
    }
    ++counts[tag];
    const std::string name = lower(tag.substr(1, tag.find_first_of(" >\n", 1) - 1));
    at = end + 1;
    for (const std::string_view raw : {"script", "style", "textarea"})
      if (name == raw) {
        const size_t stop = lower(std::string(page)).find("</" + std::string(raw), at);
        at = stop == std::string::npos ? page.size() : stop;
      }
  }
  return counts;
}

}  // namespace heed::testing
