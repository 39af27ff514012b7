#include "heed/data/po_reader.h"

#include <optional>
#include <utility>

#include "heed/base/c_escapes.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr size_t longest_message = size_t{16} << 20;  // in bytes

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::vector<SentencePair> pair_forms(const std::string& singular, const std::string& plural,
                                     const std::vector<std::string>& forms) {
  if (forms.empty()) return {};
  if (plural.empty()) return {{.source = singular, .target = forms.front()}};
  std::vector<SentencePair> pairs;
  if (forms.size() > 1) pairs.push_back({.source = singular, .target = forms.front()});
  pairs.push_back({.source = plural, .target = forms.back()});
  return pairs;
}

bool PoReader::read_line() { return std::exchange(line_is_waiting_, false) || lines_.next(line_); }

void PoReader::append_string(std::string_view quoted, std::string& text) const {
  require(quoted.size() >= 2 && quoted.front() == '"' && quoted.back() == '"',
          "{}: a string in quotation marks was expected but {} was found", lines_.where(),
          quote(quoted));
  for (std::string_view rest = quoted.substr(1, quoted.size() - 2); !rest.empty();) {
    const char letter = rest[0];
    rest.remove_prefix(1);
    require(letter != '"', "{}: a quotation mark inside a string needs a backslash before it",
            lines_.where());
    if (letter != '\\') {
      text += letter;
      continue;
    }
    const std::optional<char> meaning = take_c_escape(rest);
    require(meaning.has_value(), "{}: unknown escape in {}", lines_.where(), quote(quoted));
    text += *meaning;
  }
}

// Where the string after a keyword belongs.
std::string& PoReader::field_named(Message& message, std::string_view keyword) {
  if (keyword == "msgctxt") return context_;
  if (keyword == "msgid") {
    require(!message.has_id, "{}: another msgid before the msgstr of {}", lines_.where(),
            quote(message.id));
    message.has_id = true;
    return message.id;
  }
  require(message.has_id, "{}: {} before any msgid", lines_.where(), quote(keyword));
  if (keyword == "msgid_plural") return message.plural;
  require(keyword == "msgstr" || (keyword.starts_with("msgstr[") && keyword.ends_with("]")),
          "{}: a keyword such as msgid or msgstr was expected but {} was found", lines_.where(),
          quote(keyword));
  require(message.forms.empty() || keyword != "msgstr", "{}: a second msgstr of {}", lines_.where(),
          quote(message.id));
  return message.forms.emplace_back();
}

// A message ends at the keyword that starts the next one, or at a comment after its translation.
bool PoReader::read_message(Message& message) {
  message = {};
  std::string* field = nullptr;
  size_t size = 0;
  while (read_line()) {
    const std::string_view line = trimmed(line_);
    if (line.empty()) continue;
    const bool begins_another = line.starts_with("#") || line.starts_with("msgctxt") ||
                                (line.starts_with("msgid") && !line.starts_with("msgid_plural"));
    if (begins_another && !message.forms.empty()) {
      line_is_waiting_ = true;
      return true;
    }
    if (line.starts_with("#")) {
      if (line.starts_with("#,") && line.find("fuzzy") != line.npos) message.is_fuzzy = true;
      continue;
    }
    std::string_view string = line;
    if (line.front() != '"') {
      const size_t length = std::min(line.find_first_of(" \t\""), line.size());
      field = &field_named(message, line.substr(0, length));
      field->clear();
      string = trimmed(line.substr(length));
    }
    require(field != nullptr, "{}: a string without a keyword", lines_.where());
    append_string(string, *field);
    size += line.size();
    require(size <= longest_message, "{}: a message of more than 16 MiB", lines_.where());
  }
  require(!message.has_id || !message.forms.empty(), "{}: the file ends before the msgstr of {}",
          lines_.name(), quote(message.id));
  return !message.forms.empty();
}

bool PoReader::next(SentencePair& pair) {
  Message message;
  while (waiting_.empty()) {
    if (!read_message(message)) return false;
    if (message.id.empty()) {
      decoder_ = CharsetDecoder::of_header(message.forms.front());
      continue;
    }
    for (const SentencePair& form : pair_forms(message.id, message.plural, message.forms)) {
      waiting_.push_back({decoder_.decode(form.source), decoder_.decode(form.target)});
      if (message.is_fuzzy) waiting_.back().drop = Drop::fuzzy;
    }
  }
  pair = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

}  // namespace heed
