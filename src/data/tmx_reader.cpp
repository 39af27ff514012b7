#include "heed/data/tmx_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr size_t longest_unit = size_t{16} << 20;

// Whether markup, after its "<", starts with this name.
bool has_name(std::string_view markup, std::string_view name) {
  return markup.starts_with(name) && markup.size() > name.size() &&
         std::string_view(" \t\r\n/>").find(markup[name.size()]) != std::string_view::npos;
}

std::string normalised_language(std::string_view code) {
  std::string result(code);
  for (char& letter : result) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '_') letter = '-';
  }
  return result;
}

std::string base_of(const std::string& language) { return language.substr(0, language.find('-')); }

// "en" matches every variant of English.
bool is_kind_of(const std::string& language, const std::string& wanted) {
  return language == wanted || language.starts_with(wanted + "-");
}

bool holds_codes_of_a_tool(std::string_view element) {
  return element == "bpt" || element == "ept" || element == "ph" || element == "it" ||
         element == "ut";
}

struct Text {
  std::string text;
  std::optional<Drop> drop = {};  // why it cannot be used
};

// The character that a reference such as "#x20AC" or "amp" stands for.
std::optional<char32_t> character_named(std::string_view reference) {
  constexpr std::array<std::pair<std::string_view, char32_t>, 5> names = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  if (!reference.starts_with('#')) {
    const auto found =
        std::ranges::find(names, reference, &std::pair<std::string_view, char32_t>::first);
    return found != names.end() ? std::optional(found->second) : std::nullopt;
  }
  const bool is_hexadecimal = reference.starts_with("#x");
  reference.remove_prefix(is_hexadecimal ? 2 : 1);
  uint32_t number = 0;
  const char* end = reference.data() + reference.size();
  const auto [stop, reason] =
      std::from_chars(reference.data(), end, number, is_hexadecimal ? 16 : 10);
  const bool is_surrogate = number >= 0xD800 && number < 0xE000;
  const bool is_character =
      reason == std::errc() && stop == end && number <= 0x10FFFF && !is_surrogate;
  return is_character ? std::optional<char32_t>(number) : std::nullopt;
}

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '#';
}

// Appends text with its references resolved. An & that is not a reference ("AT&T", "a & b") is
// kept, since many tools write it like that.
void append_resolved(std::string_view raw, Text& text) {
  for (;;) {
    const size_t start = std::min(raw.find('&'), raw.size());
    text.text += raw.substr(0, start);
    if (start == raw.size()) return;
    raw.remove_prefix(start + 1);
    const size_t length =
        static_cast<size_t>(std::ranges::find_if_not(raw, is_name_letter) - raw.begin());
    const bool is_reference =
        raw.starts_with('#') || (length > 0 && raw.substr(length).starts_with(';'));
    if (!is_reference) {
      text.text += '&';
      continue;
    }
    const bool is_ended = raw.substr(length).starts_with(';');
    const auto character = is_ended ? character_named(raw.substr(0, length)) : std::nullopt;
    if (!character) text.drop = Drop::invalid_reference;
    text.text += text_of(std::u32string(1, character.value_or(U'\uFFFD')));
    raw.remove_prefix(length + (is_ended ? 1 : 0));
  }
}

// The text of a segment, without the codes of the tool that wrote it. Not recursive, since the file
// decides how deeply elements are nested.
Text text_in(const pugi::xml_node& segment) {
  Text text;
  for (pugi::xml_node node = segment.first_child(); node;) {
    if (node.type() == pugi::node_pcdata) append_resolved(node.value(), text);
    if (node.type() == pugi::node_cdata) text.text += node.value();
    if (node.first_child() && !holds_codes_of_a_tool(node.name())) {
      node = node.first_child();
      continue;
    }
    while (node != segment && !node.next_sibling()) node = node.parent();
    if (node == segment) break;
    node = node.next_sibling();
  }
  return text;
}

struct Variant {
  std::string language;
  Text segment;
};

std::vector<Variant> variants_of(const pugi::xml_node& unit) {
  std::vector<Variant> variants;
  for (const pugi::xml_node& variant : unit.children("tuv")) {
    const pugi::xml_attribute language = variant.attribute("xml:lang");
    const char* code = language ? language.value() : variant.attribute("lang").value();
    variants.push_back({normalised_language(code), text_in(variant.child("seg"))});
  }
  return variants;
}

const Variant* find(const std::vector<Variant>& variants, const std::string& language) {
  const auto exact = std::ranges::find(variants, language, &Variant::language);
  if (exact != variants.end()) return &*exact;
  const auto kind = std::ranges::find_if(
      variants, [&](const Variant& variant) { return is_kind_of(variant.language, language); });
  return kind != variants.end() ? &*kind : nullptr;
}

}  // namespace

TmxReader::TmxReader(std::unique_ptr<ByteInput> input, std::string name,
                     const std::string& source_language, const std::string& target_language)
    : input_(std::move(input)),
      name_(std::move(name)),
      source_language_(normalised_language(source_language)),
      target_language_(normalised_language(target_language)) {}

void TmxReader::fail_in_unit() const {
  fail("{}: line {}: the file ends inside this unit, or the unit is longer than 16 MiB", name_,
       unit_line_);
}

// Appends everything up to and including `end`. False at the end of the file, or if there is too
// much.
bool TmxReader::read_until(std::string_view end, std::string& text) {
  for (;;) {
    const std::string_view bytes = input_.peek(end.size());
    const size_t found = bytes.find(end);
    const bool is_last = bytes.size() < end.size();
    // Without a match, the last bytes may still be the start of one.
    const size_t count = found != bytes.npos ? found + end.size()
                         : is_last           ? bytes.size()
                                             : bytes.size() - end.size() + 1;
    text += bytes.substr(0, count);
    line_ += std::count(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(count), '\n');
    input_.skip(count);
    if (found != bytes.npos) return true;
    if (is_last || text.size() > longest_unit) return false;
  }
}

// Appends a whole comment, CDATA section or instruction, whose "<" was read; nothing for a tag.
bool TmxReader::read_markup(std::string& text) {
  constexpr std::string_view cdata = "![CDATA[";
  const std::string_view front = input_.peek(cdata.size());
  if (front.starts_with("!--")) return read_until("-->", text);
  if (front.starts_with(cdata)) return read_until("]]>", text);
  if (front.starts_with("?")) return read_until("?>", text);
  return true;
}

// Appends the rest of a tag whose "<" was read. An attribute may contain ">".
bool TmxReader::read_start_tag(std::string& text) {
  char quotation = 0;
  for (;;) {
    const std::string_view front = input_.peek();
    if (front.empty() || text.size() > longest_unit) return false;
    const char letter = front[0];
    text += letter;
    line_ += letter == '\n';
    input_.skip(1);
    if (quotation == 0 && letter == '>') return true;
    if (quotation == letter)
      quotation = 0;
    else if (quotation == 0 && (letter == '"' || letter == '\''))
      quotation = letter;
  }
}

void TmxReader::check_declaration(const std::string& declaration) const {
  constexpr std::string_view key = "encoding=";
  const size_t start = declaration.find(key);
  if (start == std::string::npos) return;
  std::string_view value = std::string_view(declaration).substr(start + key.size());
  value.remove_prefix(std::min(value.find_first_not_of("\"'"), value.size()));
  const std::string encoding = normalised_language(value.substr(0, value.find_first_of("\"' ?")));
  require(encoding.starts_with("utf-8") || encoding.starts_with("utf-16") || encoding == "us-ascii",
          "{}: the encoding is {} but UTF-8 or UTF-16 was expected", name_, quote(encoding));
}

bool TmxReader::read_unit(std::string& unit) {
  constexpr size_t longest_name = 5;  // of those looked for, and the character after it
  for (;;) {
    std::string skipped;
    while (!read_until("<", skipped)) {
      if (!input_.peek().empty()) {
        skipped.clear();
        continue;
      }
      require(is_tmx_, "{}: is not TMX, which begins with <tmx>", name_);
      return false;
    }
    skipped.clear();
    if (!read_markup(skipped)) continue;
    if (skipped.starts_with("?xml")) check_declaration(skipped);
    const std::string_view front = input_.peek(longest_name);
    is_tmx_ = is_tmx_ || has_name(front, "tmx");
    if (!is_tmx_ || !has_name(front, "tu")) continue;
    unit_line_ = line_;
    unit.assign(1, '<');
    if (!read_start_tag(unit)) fail_in_unit();
    if (unit.ends_with("/>")) continue;
    for (;;) {
      if (!read_until("<", unit) || !read_markup(unit)) fail_in_unit();
      if (!has_name(input_.peek(longest_name), "/tu")) continue;
      if (!read_until(">", unit)) fail_in_unit();
      return true;
    }
  }
}

void TmxReader::choose_languages(const std::vector<std::string>& languages) {
  std::string source = source_language_, target = target_language_;
  for (const std::string& language : languages) {
    if (language.empty()) continue;
    const bool is_target = !target.empty() && is_kind_of(language, target);
    const bool is_source = !source.empty() && is_kind_of(language, source);
    if (source.empty() && !is_target)
      source = language;
    else if (target.empty() && !is_source)
      target = language;
  }
  if (source.empty() || target.empty()) return;
  // Other units may have other variants of the same languages.
  const bool bases_differ = base_of(source) != base_of(target);
  if (source_language_.empty()) source_language_ = bases_differ ? base_of(source) : source;
  if (target_language_.empty()) target_language_ = bases_differ ? base_of(target) : target;
}

bool TmxReader::next(SentencePair& pair) {
  std::string text;
  if (!read_unit(text)) return false;
  pair = {};
  // The parser would treat it as the end of the text.
  if (text.find('\0') != std::string::npos) {
    pair.drop = Drop::nul_character;
    return true;
  }
  // References are resolved here: the parser would make a NUL of &#0;, and other characters of
  // numbers that are too large.
  constexpr unsigned how = (pugi::parse_default | pugi::parse_ws_pcdata) & ~pugi::parse_escapes;
  pugi::xml_document document;
  const pugi::xml_parse_result result =
      document.load_buffer_inplace(text.data(), text.size(), how, pugi::encoding_utf8);
  if (result.status == pugi::status_out_of_memory) throw std::bad_alloc();
  require(static_cast<bool>(result), "{}: line {}: this unit is not XML: {}", name_, unit_line_,
          result.description());
  const std::vector<Variant> variants = variants_of(document.child("tu"));
  if (source_language_.empty() || target_language_.empty()) {
    std::vector<std::string> languages;
    for (const Variant& variant : variants) languages.push_back(variant.language);
    choose_languages(languages);
  }
  const Variant* source = source_language_.empty() ? nullptr : find(variants, source_language_);
  const Variant* target = target_language_.empty() ? nullptr : find(variants, target_language_);
  if (source == nullptr || target == nullptr)
    pair.drop = Drop::missing_language;
  else
    pair = {.source = source->segment.text,
            .target = target->segment.text,
            .drop = source->segment.drop ? source->segment.drop : target->segment.drop};
  return true;
}

}  // namespace heed
