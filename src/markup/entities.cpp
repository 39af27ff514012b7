#include "heed/markup/entities.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "heed/base/characters.h"
#include "heed/base/text.h"
#include "heed/markup/entity_names.h"

namespace heed {

namespace {

// What browsers make of the numbers 0x80 to 0x9F, which are those of Windows' encoding.
constexpr std::array<char32_t, 32> windows_characters = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

char32_t meaning_of(uint32_t number) {
  constexpr uint32_t last = 0x10FFFF;
  if (number == 0 || number > last || (number >= 0xD800 && number < 0xE000)) return U'�';
  if (number >= 0x80 && number < 0xA0) return windows_characters[number - 0x80];
  return number;
}

std::optional<uint32_t> digit_of(char c, uint32_t base) {
  uint32_t value = base;
  if (c >= '0' && c <= '9') value = static_cast<uint32_t>(c - '0');
  if (c >= 'a' && c <= 'f') value = static_cast<uint32_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') value = static_cast<uint32_t>(c - 'A' + 10);
  return value < base ? std::optional(value) : std::nullopt;
}

// &#233; and &#xE9;, which `text` begins with up to its "#". False if no digit follows.
bool take_number(std::string_view& text, std::string& decoded) {
  std::string_view rest = text.substr(2);
  const bool is_hex = rest.starts_with('x') || rest.starts_with('X');
  if (is_hex) rest.remove_prefix(1);
  uint32_t number = 0;
  bool has_digits = false;
  for (; !rest.empty(); rest.remove_prefix(1)) {
    const std::optional<uint32_t> digit = digit_of(rest[0], is_hex ? 16 : 10);
    if (!digit) break;
    constexpr uint32_t too_large = 0x110000;
    number = std::min(number * (is_hex ? 16 : 10) + *digit, too_large);
    has_digits = true;
  }
  if (!has_digits) return false;
  if (rest.starts_with(';')) rest.remove_prefix(1);
  decoded += text_of(std::u32string(1, meaning_of(number)));
  text = rest;
  return true;
}

// The longest name that the text after "&" begins with.
const EntityName* name_at(std::string_view text) {
  constexpr size_t longest_name = 33;
  size_t length = 0;
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  while (length < text.size() && length < longest_name && is_name(text[length])) ++length;
  if (length < text.size() && text[length] == ';') ++length;
  for (; length > 0; --length) {
    const auto* found =
        std::ranges::lower_bound(entity_names, text.substr(0, length), {}, &EntityName::name);
    if (found != std::end(entity_names) && found->name == text.substr(0, length)) return found;
  }
  return nullptr;
}

bool is_xml_name(std::string_view name) {
  return name == "amp;" || name == "lt;" || name == "gt;" || name == "quot;" || name == "apos;";
}

bool take_reference(std::string_view& text, MarkupKind kind, std::string& decoded) {
  if (text.starts_with("&#")) return take_number(text, decoded);
  const EntityName* name = name_at(text.substr(1));
  if (name == nullptr || (kind == MarkupKind::xml && !is_xml_name(name->name))) return false;
  decoded += name->text;
  text.remove_prefix(1 + name->name.size());
  return true;
}

}  // namespace

void take_decoded(std::string_view& text, MarkupKind kind, std::string& decoded) {
  if (kind != MarkupKind::text && text[0] == '&' && take_reference(text, kind, decoded)) return;
  const size_t before = text.size();
  const char* begin = text.data();
  if (take_character(text))
    decoded.append(begin, before - text.size());
  else
    decoded += "\xEF\xBF\xBD";
}

std::string decode_entities(std::string_view text, MarkupKind kind) {
  std::string decoded;
  while (!text.empty()) take_decoded(text, kind, decoded);
  return decoded;
}

std::string encode_entities(std::string_view text, MarkupKind kind) {
  if (kind == MarkupKind::text) return std::string(text);
  constexpr std::string_view no_break_space = "\xC2\xA0";
  std::string encoded;
  for (size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '&':
        encoded += "&amp;";
        break;
      case '<':
        encoded += "&lt;";
        break;
      case '>':
        encoded += "&gt;";
        break;
      default:
        if (kind == MarkupKind::html && text.substr(at).starts_with(no_break_space)) {
          encoded += "&nbsp;";
          ++at;
        } else {
          encoded += text[at];
        }
    }
  }
  return encoded;
}

}  // namespace heed
