#include "heed/visualisation/svg_text.h"

#include <optional>

#include "heed/base/text.h"

namespace heed {

std::string svg_escape(std::string_view text) {
  const std::string safe = printable(text);
  std::string_view rest = safe;
  std::string out;
  while (!rest.empty()) {
    const std::string_view before = rest;
    const std::optional<char32_t> character = take_character(rest);
    switch (character.value_or(0xFFFF)) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case 0xFFFE:
      case 0xFFFF:
        out += "\uFFFD";
        break;
      default:
        out += before.substr(0, before.size() - rest.size());
    }
  }
  return out;
}

}  // namespace heed
