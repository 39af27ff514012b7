#include "heed/markup/po_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/markup/po_strings.h"

namespace heed {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// The flags of a line such as "#, fuzzy, c-format".
std::vector<std::string_view> flags_of(std::string_view line) {
  std::vector<std::string_view> flags;
  line = trimmed(line);
  line.remove_prefix(std::min<size_t>(2, line.size()));
  while (!line.empty()) {
    const size_t end = std::min(line.find(','), line.size());
    if (const std::string_view flag = trimmed(line.substr(0, end)); !flag.empty())
      flags.push_back(flag);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return flags;
}

// The value of a field of the header, such as "Plural-Forms".
std::string_view field_of(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    std::string_view line = take_line(header);
    if (!line.starts_with(name)) continue;
    line.remove_prefix(name.size());
    if (line.starts_with(":")) return trimmed(line.substr(1));
  }
  return {};
}

bool is_utf8_name(std::string_view charset) {
  std::string name;
  for (const char c : charset) name += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return name == "utf-8" || name == "utf8" || name == "ascii" || name == "us-ascii" ||
         name == "ansi_x3.4-1968" || name == "charset" || name.empty();
}

std::string charset_of(std::string_view header) {
  const std::string_view type = field_of(header, "Content-Type");
  constexpr std::string_view key = "charset=";
  const size_t found = type.find(key);
  if (found == type.npos) return {};
  const std::string_view rest = type.substr(found + key.size());
  return std::string(rest.substr(0, rest.find_first_of("; \t")));
}

}  // namespace

bool PoMessage::is_missing() const {
  return forms.empty() || std::ranges::any_of(forms, [](const auto& form) { return form.empty(); });
}

// Reads a file line by line and leaves its messages there.
class PoFile::Reader {
 public:
  Reader(PoFile& file, std::string name) : file_(file), name_(std::move(name)) {}

  void read();

 private:
  enum class Field { none, context, id, plural, translation };

  std::string where() const { return fmt::format("{}: line {}", name_, line_); }
  void read_line(std::string_view line, TextRange range);
  void read_comment(std::string_view line, TextRange range);
  void begin_field(std::string_view keyword, TextRange range);
  void add_string(std::string_view quoted);
  void end_message();
  void read_header(const std::string& header);

  PoFile& file_;
  std::string name_;
  size_t line_ = 0;
  PoMessage message_;
  Place place_;
  bool has_id_ = false, has_flags_ = false, has_place_ = false, has_context_ = false;
  std::string context_;
  Field field_ = Field::none;
};

void PoFile::Reader::read_header(const std::string& header) {
  const std::string charset = charset_of(header);
  require(is_utf8_name(charset),
          "{}: is in {}, but UTF-8 was expected; `msgconv -t UTF-8` converts it", name_,
          Quoted{charset});
  if (const std::optional<PluralRule> rule = PluralRule::parse(field_of(header, "Plural-Forms"))) {
    file_.rule_ = *rule;
    file_.has_rule_ = true;
  }
}

void PoFile::Reader::end_message() {
  require(!has_id_ || !message_.forms.empty(), "{}: no msgstr for {}", where(),
          Quoted{message_.id});
  if (has_id_ && message_.id.empty() && !has_context_)
    read_header(message_.forms.front());
  else if (has_id_) {
    place_.was_fuzzy = message_.is_fuzzy;
    file_.messages_.push_back(std::move(message_));
    file_.places_.push_back(place_);
  }
  message_ = {};
  place_ = {};
  has_id_ = has_flags_ = has_place_ = has_context_ = false;
  field_ = Field::none;
}

void PoFile::Reader::read_comment(std::string_view line, TextRange range) {
  if (field_ == Field::translation) end_message();
  if (line.starts_with("#~")) return;
  if (line.starts_with("#,")) {
    const std::vector<std::string_view> flags = flags_of(line);
    if (std::ranges::find(flags, "fuzzy") != flags.end()) message_.is_fuzzy = true;
    if (!has_flags_) place_.flags = range;
    has_flags_ = true;
  } else if (line.starts_with("#|") && !has_flags_ && !has_place_) {
    place_.flags = {range.begin, range.begin};
    has_place_ = true;
  }
}

void PoFile::Reader::begin_field(std::string_view keyword, TextRange range) {
  const bool begins_message = keyword == "msgctxt" || keyword == "msgid";
  if (begins_message && field_ == Field::translation) end_message();
  if (begins_message && !has_flags_ && !has_place_) {
    place_.flags = {range.begin, range.begin};
    has_place_ = true;
  }
  if (keyword == "msgctxt") {
    require(!has_id_, "{}: msgctxt after its msgid", where());
    field_ = Field::context;
    has_context_ = true;
    context_.clear();
  } else if (keyword == "msgid") {
    require(!has_id_, "{}: another msgid before the msgstr of {}", where(), Quoted{message_.id});
    field_ = Field::id;
    has_id_ = true;
    message_.line = line_;
  } else if (keyword == "msgid_plural") {
    require(field_ == Field::id, "{}: msgid_plural without a msgid before it", where());
    field_ = Field::plural;
    message_.has_plural = true;
  } else {
    const std::string expected =
        message_.has_plural ? fmt::format("msgstr[{}]", message_.forms.size()) : "msgstr";
    require(has_id_ && keyword == expected && (message_.has_plural || message_.forms.empty()),
            "{}: {} was expected but {} was found", where(), has_id_ ? expected.c_str() : "msgid",
            Quoted{keyword});
    field_ = Field::translation;
    if (message_.forms.empty()) place_.messages.begin = range.begin;
    message_.forms.emplace_back();
  }
}

void PoFile::Reader::add_string(std::string_view quoted) {
  const std::optional<std::string> text = parse_po_string(quoted);
  require(text.has_value(), "{}: a string in quotation marks was expected but {} was found",
          where(), Quoted{quoted});
  switch (field_) {
    case Field::none:
      fail("{}: a string without a keyword", where());
    case Field::context:
      context_ += *text;
      return;
    case Field::id:
      message_.id += *text;
      return;
    case Field::plural:
      message_.plural += *text;
      return;
    case Field::translation:
      message_.forms.back() += *text;
      return;
  }
}

void PoFile::Reader::read_line(std::string_view line, TextRange range) {
  if (line.empty()) return;
  if (line.starts_with("#")) return read_comment(line, range);
  if (line.front() != '"') {
    const size_t length = std::min(line.find_first_of(" \t\""), line.size());
    begin_field(line.substr(0, length), range);
    line = trimmed(line.substr(length));
  }
  add_string(line);
  if (field_ == Field::translation) place_.messages.end = range.end;
}

void PoFile::Reader::read() {
  const std::string_view text = file_.text_;
  require(is_utf8(text), "{}: is not UTF-8; `msgconv -t UTF-8` converts a PO file", name_);
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  for (size_t at = text.starts_with(mark) ? mark.size() : 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    ++line_;
    read_line(trimmed(text.substr(at, end - at)), {at, end});
    at = end;
  }
  end_message();
}

PoFile::PoFile(std::string text, std::string name) : text_(std::move(text)) {
  if (text_.find("\r\n") != text_.npos) line_end_ = "\r\n";
  Reader(*this, std::move(name)).read();
}

size_t PoFile::forms_of(const PoMessage& message) const {
  if (!message.has_plural) return 1;
  return has_rule_ ? static_cast<size_t>(rule_.forms) : message.forms.size();
}

void PoFile::set_translation(size_t message, std::vector<std::string> forms, FuzzyMark mark) {
  PoMessage& own = messages_.at(message);
  require(forms.size() == forms_of(own), ErrorKind::usage, "po: {} forms for line {}, but {}",
          forms.size(), own.line, forms_of(own));
  const Place& place = places_[message];
  std::string written;
  for (size_t i = 0; i < forms.size(); ++i)
    written += write_po_string(own.has_plural ? fmt::format("msgstr[{}]", i) : "msgstr", forms[i],
                               line_end_);
  // The last line of a file may have no end.
  const bool has_end = text_[place.messages.end - 1] == '\n';
  if (!has_end) written.resize(written.size() - line_end_.size());
  edits_.insert_or_assign(place.messages.begin, Edit{place.messages, std::move(written)});

  const std::string_view line =
      std::string_view(text_).substr(place.flags.begin, place.flags.size());
  std::vector<std::string_view> flags = flags_of(line);
  std::erase(flags, "fuzzy");
  if (mark == FuzzyMark::set) flags.insert(flags.begin(), "fuzzy");
  std::string flag_line;
  if (!flags.empty()) flag_line = fmt::format("#, {}{}", fmt::join(flags, ", "), line_end_);
  edits_.erase(place.flags.begin);
  if (place.was_fuzzy != (mark == FuzzyMark::set))
    edits_.insert_or_assign(place.flags.begin, Edit{place.flags, std::move(flag_line)});
  own.is_fuzzy = mark == FuzzyMark::set;
  own.forms = std::move(forms);
}

std::string PoFile::text() const {
  std::string edited;
  size_t from = 0;
  for (const auto& [begin, edit] : edits_) {
    edited.append(text_, from, begin - from);
    edited += edit.text;
    from = edit.range.end;
  }
  return edited.append(text_, from);
}

}  // namespace heed
