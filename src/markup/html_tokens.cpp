#include "heed/markup/html_tokens.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heed {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lowered(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Elements whose content is not markup.
bool has_raw_text(std::string_view name) {
  constexpr std::array<std::string_view, 7> names = {"iframe", "noembed",  "noframes", "script",
                                                     "style",  "textarea", "xmp"};
  return std::ranges::find(names, name) != names.end();
}

struct Attribute {
  TextRange whole;  // with the space before it
  std::string_view name, value;
};

// Where a tag ends, from behind its name on; nothing if the text ends first. `visit` is told the
// attributes.
template <typename Visit>
std::optional<size_t> read_attributes(std::string_view text, size_t at, const Visit& visit) {
  const auto skip_blanks = [&](size_t from) {
    while (from < text.size() && is_blank(text[from])) ++from;
    return from;
  };
  while (at < text.size()) {
    Attribute attribute = {.whole = {at, at}, .name = {}, .value = {}};
    at = skip_blanks(at);
    if (at >= text.size()) break;
    if (text[at] == '>') return at + 1;
    if (text[at] == '/') {
      ++at;
      continue;
    }
    const size_t name = at++;  // which may even be "="
    while (at < text.size() && !is_blank(text[at]) && text[at] != '/' && text[at] != '>' &&
           text[at] != '=')
      ++at;
    attribute.name = text.substr(name, at - name);
    const size_t sign = skip_blanks(at);
    if (sign < text.size() && text[sign] == '=') {
      at = skip_blanks(sign + 1);
      if (at >= text.size()) break;
      if (text[at] == '"' || text[at] == '\'') {
        const size_t end = text.find(text[at], at + 1);
        if (end == text.npos) return std::nullopt;
        attribute.value = text.substr(at + 1, end - at - 1);
        at = end + 1;
      } else {
        const size_t begin = at;
        while (at < text.size() && !is_blank(text[at]) && text[at] != '>') ++at;
        attribute.value = text.substr(begin, at - begin);
      }
    }
    attribute.whole.end = at;
    visit(attribute);
  }
  return std::nullopt;
}

std::optional<size_t> end_of_tag(std::string_view text, size_t at) {
  return read_attributes(text, at, [](const Attribute&) {});
}

size_t end_of_name(std::string_view text, size_t at) {
  while (at < text.size() && !is_blank(text[at]) && text[at] != '/' && text[at] != '>') ++at;
  return at;
}

// Where the first attribute of a tag may begin.
size_t behind_name(std::string_view tag) { return end_of_name(tag, tag.starts_with("</") ? 2 : 1); }

// Makes tokens of a text, from left to right.
class Tokenizer {
 public:
  Tokenizer(std::string_view text, MarkupKind kind) : text_(text), kind_(kind) {}

  std::vector<HtmlToken> run() &&;

 private:
  bool is_html() const { return kind_ == MarkupKind::html; }
  bool begins(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  bool begins_ignoring_case(std::string_view with) const {
    return same_letters(text_.substr(at_, with.size()), with);
  }
  // The token from here to `end`, if there is one, or to the end of the text, unfinished. Ends the
  // text before it.
  void add(TokenKind kind, std::optional<size_t> end, std::string name = {});
  void add_text(size_t end, TokenKind kind = TokenKind::text);
  std::optional<size_t> behind(std::string_view what, size_t from) const;

  bool take_markup();  // false if there is none here
  void take_comment();
  void take_declaration();
  bool take_tag();
  bool take_tag_of_text();
  void take_raw_text(std::string_view name);
  size_t end_of_raw_text(std::string_view name) const;

  std::string_view text_;
  MarkupKind kind_;
  size_t at_ = 0;
  size_t text_from_ = 0;  // text that is not a token yet begins here
  std::vector<HtmlToken> tokens_;
};

void Tokenizer::add_text(size_t end, TokenKind kind) {
  if (text_from_ < end) tokens_.push_back({.kind = kind, .range = {text_from_, end}});
  text_from_ = at_ = end;
}

void Tokenizer::add(TokenKind kind, std::optional<size_t> end, std::string name) {
  add_text(at_);
  at_ = end.value_or(text_.size());
  tokens_.push_back({.kind = end ? kind : TokenKind::unfinished,
                     .range = {text_from_, at_},
                     .name = std::move(name)});
  text_from_ = at_;
}

std::optional<size_t> Tokenizer::behind(std::string_view what, size_t from) const {
  const size_t found = text_.find(what, from);
  return found == text_.npos ? std::nullopt : std::optional(found + what.size());
}

// "<!-->" and "<!--->" are whole comments; "--!>" also ends one.
void Tokenizer::take_comment() {
  const size_t begin = at_ + 4;
  if (is_html() && begins("<!-->")) return add(TokenKind::other, at_ + 5);
  if (is_html() && begins("<!--->")) return add(TokenKind::other, at_ + 6);
  for (size_t at = text_.find("--", begin); at != text_.npos; at = text_.find("--", at + 1)) {
    const std::string_view rest = text_.substr(at + 2);
    if (rest.starts_with('>')) return add(TokenKind::other, at + 3);
    if (is_html() && rest.starts_with("!>")) return add(TokenKind::other, at + 4);
  }
  add(TokenKind::other, std::nullopt);
}

// A doctype may have declarations of its own between brackets.
void Tokenizer::take_declaration() {
  std::optional<size_t> end = behind(">", at_);
  if (kind_ == MarkupKind::xml) {
    const size_t bracket = text_.substr(0, end.value_or(text_.size())).find('[', at_);
    if (bracket != text_.npos) {
      const std::optional<size_t> inner = behind("]", bracket);
      end = inner ? behind(">", *inner) : std::nullopt;
    }
  }
  add(TokenKind::declaration, end);
}

bool Tokenizer::take_markup() {
  if (kind_ == MarkupKind::text) return take_tag_of_text();
  if (begins("<!--")) {
    take_comment();
  } else if (begins("<![CDATA[")) {
    add(TokenKind::other, behind("]]>", at_));
  } else if (begins_ignoring_case("<!doctype")) {
    take_declaration();
  } else if (begins("<!")) {
    add(TokenKind::other, behind(">", at_));
  } else if (begins("<?")) {
    add(TokenKind::other, behind(is_html() ? ">" : "?>", at_));
  } else {
    return take_tag();
  }
  return true;
}

bool Tokenizer::take_tag() {
  const bool is_end = begins("</");
  const size_t name = at_ + (is_end ? 2 : 1);
  if (name >= text_.size()) return false;
  if (!is_letter(text_[name]) &&
      !(kind_ == MarkupKind::xml && (text_[name] == '_' || text_[name] == ':'))) {
    // A browser takes "</" and whatever follows for a comment.
    if (is_end && is_html()) return add(TokenKind::other, behind(">", at_)), true;
    return false;
  }
  const size_t name_end = end_of_name(text_, name);
  std::string known(text_.substr(name, name_end - name));
  if (is_html()) known = lowered(known);
  const std::optional<size_t> end = end_of_tag(text_, name_end);
  TokenKind kind = is_end ? TokenKind::end_tag : TokenKind::start_tag;
  const bool raw = is_html() && has_raw_text(known);
  if (!is_end && !raw && end && text_[*end - 2] == '/' && *end - 2 >= name_end)
    kind = TokenKind::empty_tag;
  add(kind, end, known);
  if (end && kind == TokenKind::start_tag && is_html()) {
    if (raw || known == "title") take_raw_text(known);
    if (known == "plaintext") add_text(text_.size(), TokenKind::raw_text);
  }
  return true;
}

// The end tag of the element, or of the text. A script may hold whole scripts in a comment.
size_t Tokenizer::end_of_raw_text(std::string_view name) const {
  bool in_comment = false, in_inner_script = false;
  for (size_t at = at_; at < text_.size(); ++at) {
    if (text_[at] == '-' && text_.substr(at).starts_with("-->"))
      in_comment = in_inner_script = false;
    if (text_[at] != '<') continue;
    const std::string_view rest = text_.substr(at);
    const auto is_tag = [&](size_t from) {
      if (!same_letters(rest.substr(std::min(from, rest.size())).substr(0, name.size()), name))
        return false;
      const size_t end = from + name.size();
      return end < rest.size() && (is_blank(rest[end]) || rest[end] == '/' || rest[end] == '>');
    };
    if (name == "script" && rest.starts_with("<!--")) in_comment = true;
    if (name == "script" && in_comment && is_tag(1)) in_inner_script = true;
    if (!rest.starts_with("</") || !is_tag(2)) continue;
    if (!in_inner_script) return at;
    in_inner_script = false;
  }
  return text_.size();
}

void Tokenizer::take_raw_text(std::string_view name) {
  add_text(end_of_raw_text(name), name == "title" ? TokenKind::text : TokenKind::raw_text);
}

// Every attribute needs a value here: "if a<b and c>d" has no tag.
bool Tokenizer::take_tag_of_text() {
  const bool is_end = begins("</");
  const size_t name = at_ + (is_end ? 2 : 1);
  if (name >= text_.size() || !is_letter(text_[name])) return false;
  const auto is_part_of_name = [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ':' || c == '.';
  };
  const size_t name_end = end_of_name(text_, name);
  const std::string_view known = text_.substr(name, name_end - name);
  if (!std::ranges::all_of(known, is_part_of_name)) return false;
  bool is_tag = true;
  const std::optional<size_t> end = read_attributes(
      text_.substr(0, text_.find('<', at_ + 1)), name_end, [&](const Attribute& attribute) {
        const std::string_view whole = text_.substr(attribute.whole.begin, attribute.whole.size());
        is_tag = is_tag && !is_end && is_letter(attribute.name[0]) && whole.find('=') != whole.npos;
      });
  if (!end || !is_tag) return false;
  TokenKind kind = is_end ? TokenKind::end_tag : TokenKind::start_tag;
  if (!is_end && text_[*end - 2] == '/') kind = TokenKind::empty_tag;
  add(kind, end, std::string(known));
  return true;
}

std::vector<HtmlToken> Tokenizer::run() && {
  while (at_ < text_.size()) {
    const size_t found = text_.find('<', at_);
    at_ = std::min(found, text_.size());
    if (at_ < text_.size() && !take_markup()) ++at_;
  }
  add_text(text_.size());
  return std::move(tokens_);
}

}  // namespace

std::vector<HtmlToken> find_tokens(std::string_view text, MarkupKind kind) {
  return Tokenizer(text, kind).run();
}

std::optional<std::string_view> attribute_of(std::string_view tag, std::string_view name) {
  std::optional<std::string_view> value;
  read_attributes(tag, behind_name(tag), [&](const Attribute& attribute) {
    if (!value && same_letters(attribute.name, name)) value = attribute.value;
  });
  return value;
}

std::string without_id(std::string_view tag) {
  std::string kept;
  size_t from = 0;
  read_attributes(tag, behind_name(tag), [&](const Attribute& attribute) {
    if (!same_letters(attribute.name, "id") && !same_letters(attribute.name, "xml:id")) return;
    kept += tag.substr(from, attribute.whole.begin - from);
    from = attribute.whole.end;
  });
  return kept += tag.substr(from);
}

}  // namespace heed
