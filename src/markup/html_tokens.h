// HTML and XML as a list of tags and what stands between them. Nothing is ever refused: whatever
// the bytes are, each belongs to exactly one token, in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/text_link.h"
#include "heed/markup/markup_kind.h"

namespace heed {

enum class TokenKind : uint8_t {
  text,
  raw_text,  // what only its element's end tag ends: of script, style, textarea …
  start_tag,
  end_tag,
  empty_tag,    // <x/>
  other,        // a comment, a CDATA section, a processing instruction
  declaration,  // <!doctype …>
  unfinished,   // a tag or a comment that the text ends in; always the last token
};

struct HtmlToken {
  TokenKind kind = TokenKind::text;
  TextRange range;
  std::string name = {};  // of a tag; in HTML in lower case
};

// As browsers read HTML; as XML is meant to be read; or, in plain text, only tags that are written
// like <name>, </name> and <name attribute="value"/> are more than text.
std::vector<HtmlToken> find_tokens(std::string_view text, MarkupKind kind);

// The value of an attribute, as it is written, without quotes. Nothing if the tag does not have it.
std::optional<std::string_view> attribute_of(std::string_view tag, std::string_view name);

// The tag without its attributes `id` and `xml:id`.
std::string without_id(std::string_view tag);

}  // namespace heed
