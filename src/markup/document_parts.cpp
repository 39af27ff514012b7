#include "heed/markup/document_parts.h"

#include <algorithm>
#include <unordered_map>

#include "heed/markup/entities.h"
#include "heed/markup/tag_roles.h"

namespace heed {

namespace {

bool is_space(std::string_view text) { return text.find_first_not_of(" \t\r\n\f") == text.npos; }

class PartFinder {
 public:
  PartFinder(std::string_view text, const DocumentOptions& options)
      : text_(text), options_(options), tags_(find_roles(text, options)) {}

  std::vector<DocumentPart> run() &&;

 private:
  // The bytes of some of the tags.
  std::string_view raw(size_t first, size_t last) const {
    const size_t begin = tags_[first].token.range.begin;
    return text_.substr(begin, tags_[last].token.range.end - begin);
  }
  void add_passage(size_t begin, size_t end);
  bool has_text(size_t begin, size_t end) const;
  bool is_closed(size_t begin, size_t end) const;
  bool is_mark(size_t i) const;
  size_t add_element(size_t i, PassageBuilder& builder);
  void add_untouched(size_t first, size_t last, PassageBuilder& builder) const;
  void add_text(std::string_view text, PassageBuilder& builder) const;

  std::string_view text_;
  const DocumentOptions& options_;
  std::vector<Tag> tags_;
  std::unordered_map<size_t, uint32_t> elements_;  // of open tags
  std::vector<DocumentPart> parts_;
};

bool PartFinder::has_text(size_t begin, size_t end) const {
  for (size_t i = begin; i < end; i = tags_[i].last + 1)
    if (tags_[i].role == TagRole::untouched ||
        (tags_[i].role == TagRole::text && !is_space(raw(i, i))))
      return true;
  return false;
}

// Whether no element begins or ends here and does not do both.
bool PartFinder::is_closed(size_t begin, size_t end) const {
  for (size_t i = begin; i < end; i = tags_[i].last + 1) {
    const bool is_tag = tags_[i].role == TagRole::open || tags_[i].role == TagRole::close;
    if (is_tag && (tags_[i].partner < begin || tags_[i].partner >= end)) return false;
  }
  return true;
}

// The number of a footnote or a power, which would be part of the word before it:
// "dog<sup>1</sup>".
bool PartFinder::is_mark(size_t i) const {
  const size_t end = tags_[i].partner;
  if (options_.kind != MarkupKind::html || tags_[i].token.name != "sup") return false;
  for (size_t k = i; k < end; k = tags_[k].last + 1)
    if (tags_[k].role == TagRole::untouched ||
        (tags_[k].role == TagRole::text && has_words(decode_entities(raw(k, k), options_.kind))))
      return false;
  if (end + 1 >= tags_.size() || tags_[end + 1].role != TagRole::text) return true;
  const char next = raw(end + 1, end + 1)[0];
  return is_space({&next, 1}) ||
         std::string_view(".,;:!?)]}\"'&-/").find(next) != std::string_view::npos;
}

// An element without text is one thing. Returns the last tag that was added.
size_t PartFinder::add_element(size_t i, PassageBuilder& builder) {
  const size_t end = tags_[i].partner;
  if ((!has_text(i, end) || is_mark(i)) && is_closed(i, end + 1)) {
    builder.add_item(raw(i, end), false);
    return end;
  }
  elements_[i] = builder.open(raw(i, i));
  return i;
}

// The model sees short texts, which it may copy, and put into the right place.
void PartFinder::add_untouched(size_t first, size_t last, PassageBuilder& builder) const {
  std::string plain;
  for (size_t i = first; i <= last; ++i)
    if (tags_[i].token.kind == TokenKind::text) plain += decode_entities(raw(i, i), options_.kind);
  constexpr size_t longest = 60;  // bytes
  const std::string& name = tags_[first].token.name;
  const bool is_shown = !plain.empty() && plain.size() <= longest && name != "math" &&
                        name != "svg" && name != "rt" && name != "rp" &&
                        plain.find_first_of("\t\r\n\f") == plain.npos && plain.front() != ' ' &&
                        plain.back() != ' ' && plain.find("  ") == plain.npos;
  if (is_shown)
    builder.add_untouched(raw(first, last), plain);
  else
    builder.add_item(raw(first, last), true);
}

// XML's documents may have references of their own, which are not for us to know.
void PartFinder::add_text(std::string_view text, PassageBuilder& builder) const {
  if (options_.kind != MarkupKind::xml) return builder.add_text(text);
  size_t from = 0;
  for (size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
    const auto is_name = [](char c) {
      return c != ';' && c != '&' && c != '<' && static_cast<unsigned char>(c) > ' ';
    };
    size_t end = at + 1;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == at + 1 || end >= text.size() || text[end] != ';') continue;
    const std::string_view reference = text.substr(at, end + 1 - at);
    if (decode_entities(reference, MarkupKind::xml) != reference) continue;
    builder.add_text(text.substr(from, at - from));
    builder.add_item(reference, false);
    from = end + 1;
  }
  builder.add_text(text.substr(from));
}

void PartFinder::add_passage(size_t begin, size_t end) {
  if (begin >= end) return;
  const std::string_view whole = raw(begin, end - 1);
  if (!has_text(begin, end)) {
    parts_.push_back({.raw = whole, .passage = {}});
    return;
  }
  const SentenceSplit split = options_.chosen_split();
  PassageBuilder builder(options_.kind, split == SentenceSplit::punctuation_and_newlines
                                            ? LineEnds::kept
                                            : LineEnds::like_spaces);
  for (size_t i = begin; i < end; i = tags_[i].last + 1) {
    switch (tags_[i].role) {
      case TagRole::text:
        add_text(raw(i, i), builder);
        break;
      case TagRole::open: {
        const size_t last = add_element(i, builder);
        while (tags_[i].last < last) i = tags_[i].last + 1;
        break;
      }
      case TagRole::close:
        builder.close(elements_.at(tags_[i].partner), raw(i, i));
        break;
      case TagRole::item:
        builder.add_item(
            raw(i, i), tags_[i].token.kind == TokenKind::start_tag && tags_[i].token.name != "wbr");
        break;
      case TagRole::untouched:
        add_untouched(i, tags_[i].last, builder);
        break;
      case TagRole::boundary:
        break;
    }
  }
  parts_.push_back({.raw = whole, .passage = std::move(builder).finish(split, options_.language)});
}

std::vector<DocumentPart> PartFinder::run() && {
  size_t begin = 0;
  for (size_t i = 0; i < tags_.size(); i = tags_[i].last + 1) {
    if (tags_[i].role != TagRole::boundary) continue;
    add_passage(begin, i);
    parts_.push_back({.raw = raw(i, tags_[i].last), .passage = {}});
    begin = tags_[i].last + 1;
  }
  add_passage(begin, tags_.size());
  return std::move(parts_);
}

}  // namespace

std::vector<DocumentPart> find_parts(std::string_view text, const DocumentOptions& options) {
  return PartFinder(text, options).run();
}

}  // namespace heed
