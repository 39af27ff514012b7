#include "heed/markup/attribute_texts.h"

#include <algorithm>
#include <array>
#include <optional>

#include "heed/markup/entities.h"
#include "heed/markup/tag_roles.h"

namespace heed {

namespace {

constexpr std::array<std::string_view, 13> names = {"abbr",
                                                    "alt",
                                                    "aria-braillelabel",
                                                    "aria-description",
                                                    "aria-label",
                                                    "aria-placeholder",
                                                    "aria-roledescription",
                                                    "aria-valuetext",
                                                    "content",
                                                    "label",
                                                    "placeholder",
                                                    "title",
                                                    "value"};

template <size_t size>
bool is_one_of(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::ranges::find(words, word) != words.end();
}

std::string lower_value(std::string_view tag, std::string_view name) {
  std::string value(attribute_of(tag, name).value_or(""));
  std::ranges::transform(value, value.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return value;
}

// Whether a meta element describes the page in words.
bool is_description(std::string_view tag) {
  constexpr std::array<std::string_view, 3> by_name = {"description", "twitter:description",
                                                       "twitter:title"};
  constexpr std::array<std::string_view, 2> by_property = {"og:description", "og:title"};
  return is_one_of(lower_value(tag, "name"), by_name) ||
         is_one_of(lower_value(tag, "property"), by_property);
}

bool is_button(std::string_view tag) {
  constexpr std::array<std::string_view, 3> types = {"button", "reset", "submit"};
  return is_one_of(lower_value(tag, "type"), types);
}

// Whether people read this attribute of this element.
bool is_read(std::string_view attribute, std::string_view element, std::string_view tag) {
  if (attribute.starts_with("aria-")) return true;
  // Of a link and a style, the title is the name of a set of styles.
  if (attribute == "title") return element != "link" && element != "style" && element != "script";
  if (attribute == "abbr") return element == "th";
  if (attribute == "alt") return element == "img" || element == "area" || element == "input";
  if (attribute == "placeholder") return element == "input" || element == "textarea";
  if (attribute == "label")
    return element == "optgroup" || element == "option" || element == "track";
  if (attribute == "value") return element == "input" && is_button(tag);
  return element == "meta" && is_description(tag);  // content
}

// Whether all references end with a semicolon. What others mean depends on what follows them.
bool is_clear(std::string_view raw) {
  while (!raw.empty()) {
    const std::string_view before = raw;
    std::string decoded;
    take_decoded(raw, MarkupKind::html, decoded);
    const std::string_view taken = before.substr(0, before.size() - raw.size());
    if (taken.starts_with('&') && taken.size() > 1 && !taken.ends_with(';')) return false;
  }
  return true;
}

AttributeText attribute_at(std::string_view page, std::string_view value) {
  const auto begin = static_cast<size_t>(value.data() - page.data());
  const char before = page[begin - 1];
  const size_t quotes = before == '"' || before == '\'' ? 1 : 0;
  return {{begin - quotes, begin + value.size() + quotes}, value};
}

}  // namespace

std::vector<AttributeText> find_attribute_texts(std::string_view page,
                                                const DocumentOptions& options) {
  std::vector<AttributeText> found;
  const std::vector<Tag> tags = find_roles(page, options);
  // What stands within an element that stays as it is, is skipped by `last`.
  for (size_t i = 0; i < tags.size(); i = tags[i].last + 1) {
    const HtmlToken& token = tags[i].token;
    if (token.kind != TokenKind::start_tag && token.kind != TokenKind::empty_tag) continue;
    const std::string_view tag = page.substr(token.range.begin, token.range.size());
    if (is_marked_untouched(tag)) continue;
    std::vector<AttributeText> own;
    for (const std::string_view name : names) {
      const std::optional<std::string_view> value = attribute_of(tag, name);
      if (value && !value->empty() && is_read(name, token.name, tag) && is_clear(*value))
        own.push_back(attribute_at(page, *value));
    }
    std::ranges::sort(own, {}, [](const AttributeText& text) { return text.whole.begin; });
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

std::string with_text(const AttributeText& attribute, std::string_view page,
                      std::string_view text) {
  const bool has_quotes = attribute.whole.size() > attribute.raw.size();
  const char quote = has_quotes ? page[attribute.whole.begin] : '"';
  std::string written(1, quote);
  for (const char c : encode_entities(text, MarkupKind::html)) {
    if (c != quote)
      written += c;
    else
      written += quote == '"' ? "&quot;" : "&#39;";
  }
  return written + quote;
}

}  // namespace heed
