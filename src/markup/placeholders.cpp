#include "heed/markup/placeholders.h"

#include <algorithm>
#include <array>

namespace heed {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_one_of(char c, std::string_view set) { return set.find(c) != set.npos; }

// Reads a text from a place on; what it finds no more of is 0.
class Cursor {
 public:
  Cursor(std::string_view text, size_t at) : text_(text), at_(at) {}

  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool take(char c) { return peek() == c && at_ < text_.size() ? (++at_, true) : false; }
  template <typename Is>
  size_t take_all(const Is& is) {
    const size_t begin = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return at_ - begin;
  }
  size_t at() const { return at_; }

 private:
  std::string_view text_;
  size_t at_;
};

constexpr size_t none = 0;  // of the ends below: nothing begins there

constexpr size_t longest_name = 200;  // bytes between braces

// {n, plural, one {# file} other {# files}}, {who, select, …}: a choice of ICU, whose words are not
// for us to find. `at` is behind the name.
size_t end_of_choice(std::string_view text, size_t at) {
  constexpr size_t longest = 4000;
  Cursor cursor(text, at);
  const auto is_blank = [](char c) { return is_one_of(c, " \t\r\n"); };
  if (!cursor.take(',')) return none;
  cursor.take_all(is_blank);
  const size_t begin = cursor.at();
  cursor.take_all(is_letter);
  const std::string_view kind = text.substr(begin, cursor.at() - begin);
  if (kind != "plural" && kind != "select" && kind != "selectordinal") return none;
  cursor.take_all(is_blank);
  if (!cursor.take(',')) return none;
  int depth = 1;
  for (size_t end = cursor.at(); end < text.size() && end < at + longest; ++end) {
    if (text[end] == '{') ++depth;
    if (text[end] == '}' && --depth == 0) return end + 1;
  }
  return none;
}

// {name}, {0}, {user.name!r:>10}, {count, number}, {{name}}; also {} and {:d}.
size_t end_of_braces(std::string_view text, size_t at) {
  Cursor cursor(text, at);
  const bool is_double = cursor.peek(1) == '{';
  cursor.take('{');
  if (is_double) cursor.take('{');
  const auto is_blank = [](char c) { return c == ' '; };
  cursor.take_all(is_blank);
  const size_t begin = cursor.at();
  cursor.take_all([](char c) { return is_name(c) || is_one_of(c, ".[]-#@$/"); });
  cursor.take_all(is_blank);
  if (const size_t choice = is_double ? none : end_of_choice(text, cursor.at()); choice != none)
    return choice;
  // A conversion, a format or the kind of an argument.
  if (is_one_of(cursor.peek(), "!:,|") && cursor.peek() != '\0')
    cursor.take_all([](char c) { return c != '{' && c != '}' && c != '\n'; });
  cursor.take_all(is_blank);
  if (cursor.at() - begin > longest_name) return none;
  if (!cursor.take('}')) return none;
  if (is_double && !cursor.take('}')) return none;
  return cursor.at();
}

// ${x}, $(x), $x$ is none.
size_t end_of_dollar(std::string_view text, size_t at) {
  const char open = Cursor(text, at).peek(1);
  if (open == '{') return end_of_braces(text, at + 1);
  if (open != '(') return none;
  Cursor cursor(text, at + 2);
  if (cursor.take_all([](char c) { return is_name(c) || c == '.' || c == '-'; }) == 0) return none;
  return cursor.take(')') ? cursor.at() : none;
}

// What follows "%": flags, width, precision, length and conversion of printf.
size_t end_of_conversion(Cursor cursor, bool has_argument) {
  const size_t flags = cursor.take_all([](char c) { return is_one_of(c, "-+#0'I"); });
  if (!cursor.take('*')) cursor.take_all(is_digit);
  if (cursor.take('.') && !cursor.take('*')) cursor.take_all(is_digit);
  cursor.take_all([](char c) { return is_one_of(c, "hlLqjzt"); });
  // C's own, C#'s and Objective-C's %@; with a blank as flag only where a name or a number says
  // that there is an argument.
  if (!is_one_of(cursor.peek(), "diouxXeEfFgGaAcspn@DUOCSr") || cursor.peek() == '\0') return none;
  cursor.take(cursor.peek());
  const bool goes_on = is_letter(cursor.peek()) && !has_argument && flags > 0;
  return goes_on ? none : cursor.at();
}

size_t end_of_percent(std::string_view text, size_t at) {
  Cursor cursor(text, at + 1);
  if (cursor.peek() == '%') return at + 2;
  if (cursor.take('(')) {
    if (cursor.take_all([](char c) { return c != ')' && c != '(' && c != '\n'; }) > longest_name)
      return none;
    return cursor.take(')') ? end_of_conversion(cursor, true) : none;
  }
  if (cursor.peek() == '{') return end_of_braces(text, at + 1);
  if (cursor.take('<')) {  // gettext's %<PRIu64>
    cursor.take_all(is_name);
    return cursor.take('>') ? cursor.at() : none;
  }
  if (is_digit(cursor.peek())) {
    Cursor numbered = cursor;
    numbered.take_all(is_digit);
    if (numbered.take('$')) return end_of_conversion(numbered, true);
    // "%1" of Qt and Windows: nothing that printf knows follows.
    const size_t conversion = end_of_conversion(cursor, false);
    if (conversion != none) return conversion;
    return is_letter(numbered.peek()) ? none : numbered.at();
  }
  if (is_letter(cursor.peek())) {
    Cursor name = cursor;
    if (name.take_all(is_name) > 1 && name.take('%')) return name.at();  // %name%
  }
  return end_of_conversion(cursor, false);
}

// "100%ig": a number in front and letters behind make a percentage of it.
bool is_percentage(std::string_view text, size_t at, size_t end) {
  return at > 0 && is_digit(text[at - 1]) && text[at + 1] != '%' && end < text.size() &&
         is_letter(text[end]);
}

bool is_in_address(char c) {
  return static_cast<unsigned char>(c) > ' ' && !is_one_of(c, "<>\"{}|\\^`") && c != '\x7F';
}

// Full stops, brackets and the like that end a sentence rather than an address.
size_t without_punctuation(std::string_view text, size_t begin, size_t end) {
  const std::string_view address = text.substr(begin, end - begin);
  const auto opened = std::ranges::count(address, '(');
  auto closed = std::ranges::count(address, ')');
  while (end > begin && is_one_of(text[end - 1], ".,;:!?'*_)]")) {
    if (text[end - 1] == ')' && opened >= closed--) break;
    --end;
  }
  return end;
}

size_t end_of_url(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 8> beginnings = {
      "https://", "http://", "ftp://", "mailto:", "file://", "git://", "ssh://", "www."};
  if (at > 0 && (is_name(text[at - 1]) || text[at - 1] == '/')) return none;
  for (const std::string_view beginning : beginnings) {
    if (!text.substr(at).starts_with(beginning)) continue;
    Cursor cursor(text, at + beginning.size());
    cursor.take_all(is_in_address);
    const size_t end = without_punctuation(text, at + beginning.size(), cursor.at());
    if (end > at + beginning.size()) return end;
  }
  return none;
}

bool is_in_mailbox(char c) { return is_name(c) || is_one_of(c, ".+-"); }

// The address around the "@" at this place.
TextRange address_around(std::string_view text, size_t at, size_t from) {
  size_t begin = at;
  while (begin > from && is_in_mailbox(text[begin - 1])) --begin;
  while (begin < at && text[begin] == '.') ++begin;
  Cursor cursor(text, at + 1);
  cursor.take_all([](char c) { return is_name(c) || c == '.' || c == '-'; });
  const size_t end = without_punctuation(text, at + 1, cursor.at());
  const std::string_view host = text.substr(at + 1, end - at - 1);
  const bool is_address = begin < at && host.find('.') != host.npos && host.front() != '.';
  return is_address ? TextRange{begin, end} : TextRange{};
}

size_t end_of_placeholder(std::string_view text, size_t at) {
  switch (text[at]) {
    case '{':
      return end_of_braces(text, at);
    case '$':
      return end_of_dollar(text, at);
    case '%': {
      const size_t end = end_of_percent(text, at);
      return end != none && is_percentage(text, at, end) ? none : end;
    }
    case 'h':
    case 'f':
    case 'm':
    case 'g':
    case 's':
    case 'w':
      return end_of_url(text, at);
    default:
      return none;
  }
}

}  // namespace

std::vector<TextRange> find_placeholders(std::string_view text) {
  std::vector<TextRange> found;
  size_t free = 0;  // nothing before belongs to a placeholder that may begin later
  for (size_t at = 0; at < text.size(); ++at) {
    TextRange range = {at, none};
    if (text[at] == '@')
      range = address_around(text, at, free);
    else
      range.end = end_of_placeholder(text, at);
    if (range.end == none) continue;
    found.push_back(range);
    free = range.end;
    at = range.end - 1;
  }
  return found;
}

}  // namespace heed
