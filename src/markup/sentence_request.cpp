#include "heed/markup/sentence_request.h"

#include <algorithm>
#include <map>
#include <span>

#include "heed/markup/placeholders.h"

namespace heed {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\n'; }

// Letters of any script, digits and "_".
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool is_plain_word(std::string_view text) { return std::ranges::all_of(text, is_word); }

// Appends the parts of a sentence to a request, from left to right.
class RequestMaker {
 public:
  RequestMaker(const Passage& passage, const PassageSentence& sentence, FixedTexts fixed)
      : passage_(passage), sentence_(sentence), mode_(fixed), fixed_(sentence.fixed.begin()) {}

  SentenceRequest make() &&;

 private:
  void append(TextRange range, uint32_t stack);
  void append_text(const PassagePart& part);
  void append_blank(uint32_t stack);
  void add_fixed(const FixedText& fixed);
  void insert(Insertion insertion, TextRange text);

  const Passage& passage_;
  const PassageSentence& sentence_;
  FixedTexts mode_;
  std::vector<FixedText>::const_iterator fixed_;
  SentenceRequest request_;
};

// No blank at the beginning, and never two in a row.
void RequestMaker::append_blank(uint32_t stack) {
  if (request_.text.empty() || request_.text.ends_with(' ')) return;
  request_.text += ' ';
  request_.stacks.push_back(stack);
}

void RequestMaker::append(TextRange range, uint32_t stack) {
  for (const char c : std::string_view(passage_.text).substr(range.begin, range.size())) {
    if (is_blank(c)) {
      append_blank(stack);
      continue;
    }
    request_.text += c;
    request_.stacks.push_back(stack);
  }
}

void RequestMaker::add_fixed(const FixedText& fixed) {
  if (mode_ == FixedTexts::cut_out) {
    const std::string_view rest = std::string_view(passage_.text).substr(fixed.text.end);
    const bool ends_clause =
        !rest.empty() && std::string_view(".,;:!?)").find(rest[0]) != std::string_view::npos;
    if (ends_clause && request_.text.ends_with(' ')) {  // "Hello {name}!" leaves "Hello!"
      request_.text.pop_back();
      request_.stacks.pop_back();
    }
    insert({.output = fixed.output,
            .stack = fixed.stack,
            .space_before = fixed.space_before,
            .space_after = fixed.space_after},
           fixed.text);
    return;
  }
  const size_t begin = request_.text.size();
  append(fixed.text, fixed.stack);
  request_.copied.push_back({.text = {begin, request_.text.size()}, .fixed = &fixed});
}

void RequestMaker::insert(Insertion insertion, TextRange text) {
  const std::string& all = passage_.text;
  insertion.at = request_.text.size();
  insertion.word_before =
      !insertion.space_before && text.begin > sentence_.text.begin && is_word(all[text.begin - 1]);
  insertion.word_after =
      !insertion.space_after && text.end < sentence_.text.end && is_word(all[text.end]);
  request_.insertions.push_back(insertion);
}

// A placeholder may be part of it, or it part of a placeholder that has its beginning before.
void RequestMaker::append_text(const PassagePart& part) {
  size_t from = part.text.begin;
  while (fixed_ != sentence_.fixed.end() && fixed_->text.begin < part.text.end) {
    const FixedText& fixed = *fixed_;
    if (fixed.text.begin >= from) {
      append({from, fixed.text.begin}, part.stack);
      add_fixed(fixed);
    }
    from = std::min(std::max(from, fixed.text.end), part.text.end);
    if (fixed.text.end > part.text.end) return;
    ++fixed_;
  }
  append({from, part.text.end}, part.stack);
}

SentenceRequest RequestMaker::make() && {
  for (size_t i = sentence_.first_part; i < sentence_.end_part; ++i) {
    const PassagePart& part = passage_.parts[i];
    switch (part.kind) {
      case PartKind::text:
      case PartKind::space:
      case PartKind::untouched:
        append_text(part);
        break;
      case PartKind::item:
        insert({.output = part.raw,
                .stack = part.stack,
                .space_before = part.space_before,
                .space_after = part.space_after},
               part.text);
        if (part.separates_words) append_blank(part.stack);
    }
  }
  while (request_.text.ends_with(' ')) {
    request_.text.pop_back();
    request_.stacks.pop_back();
  }
  for (Insertion& insertion : request_.insertions)
    insertion.at = std::min(insertion.at, request_.text.size());
  return std::move(request_);
}

// Where a text stands alone: what begins or ends with a letter is no part of a longer word.
std::vector<TextRange> occurrences(std::string_view text, std::string_view in) {
  std::vector<TextRange> found;
  if (text.empty()) return found;
  for (size_t at = in.find(text); at != in.npos;) {
    const size_t end = at + text.size();
    const bool stands_alone = !(at > 0 && is_word(text.front()) && is_word(in[at - 1])) &&
                              !(end < in.size() && is_word(text.back()) && is_word(in[end]));
    if (stands_alone) found.push_back({at, end});
    at = in.find(text, stands_alone ? end : at + 1);
  }
  return found;
}

bool overlap(TextRange a, TextRange b) { return a.begin < b.end && b.begin < a.end; }

bool is_linked(TextRange source, TextRange target, const TextLinks& links) {
  return std::ranges::any_of(links.of_target, [&](const TextLink& link) {
    return overlap(link.target, target) && overlap(link.source, source);
  });
}

// Arguments that are taken in order: %s but not %1$s or %(name)s, {} but not {0}.
bool is_taken_in_order(std::string_view placeholder) {
  if (placeholder == "{}" || placeholder.starts_with("{:")) return true;
  return placeholder.starts_with('%') && placeholder.size() > 1 && placeholder != "%%" &&
         placeholder[1] != '(' && placeholder[1] != '{' && placeholder[1] != '<' &&
         placeholder.find('$') == placeholder.npos && !placeholder.ends_with('%');
}

// The placeholders of a text; those that are taken in order also as a list.
struct Placeholders {
  std::map<std::string, int, std::less<>> counts;
  std::vector<std::string> ordered;

  void add(std::string_view placeholder) {
    ++counts[std::string(placeholder)];
    if (is_taken_in_order(placeholder)) ordered.emplace_back(placeholder);
  }
  bool operator==(const Placeholders&) const = default;
};

// For each of the copied texts that are equal, one of the places; those that links say first.
void match(std::span<const size_t> copies, std::vector<TextRange> places,
           const SentenceRequest& request, const TextLinks& links,
           std::vector<TextRange>& matched) {
  std::vector<size_t> left;
  for (const size_t copy : copies) {
    const auto place = std::ranges::find_if(places, [&](TextRange range) {
      return is_linked(request.copied[copy].text, range, links);
    });
    if (place == places.end()) {
      left.push_back(copy);
      continue;
    }
    matched[copy] = *place;
    places.erase(place);
  }
  for (size_t i = 0; i < left.size(); ++i) matched[left[i]] = places[i];
}

}  // namespace

bool SentenceRequest::needs_links() const {
  return !insertions.empty() || !copied.empty() ||
         std::ranges::any_of(stacks, [&](uint32_t stack) { return stack != stacks.front(); });
}

SentenceRequest make_request(const Passage& passage, const PassageSentence& sentence,
                             FixedTexts fixed) {
  return RequestMaker(passage, sentence, fixed).make();
}

std::optional<std::vector<TextRange>> find_copies(const SentenceRequest& request,
                                                  const TranslatedSentence& translation) {
  constexpr size_t most = 64;  // more are cut out without asking
  if (request.copied.size() > most) return std::nullopt;
  const std::string_view source = request.text, target = translation.text;
  const auto text_at = [](std::string_view text, TextRange range) {
    return text.substr(range.begin, range.size());
  };
  Placeholders wanted, found;
  for (const SentenceRequest::Copied& copy : request.copied)
    if (copy.fixed->is_placeholder) wanted.add(text_at(source, copy.text));
  for (const TextRange range : find_placeholders(target)) found.add(text_at(target, range));
  // What looks like a placeholder in an untouched element is none of the text.
  for (const SentenceRequest::Copied& copy : request.copied)
    if (!copy.fixed->is_placeholder)
      for (const TextRange range : find_placeholders(text_at(source, copy.text)))
        wanted.add(text_at(text_at(source, copy.text), range));
  if (wanted.counts != found.counts || wanted.ordered != found.ordered) return std::nullopt;

  std::map<std::string_view, std::vector<size_t>> groups;
  for (size_t i = 0; i < request.copied.size(); ++i)
    groups[text_at(source, request.copied[i].text)].push_back(i);
  std::vector<TextRange> matched(request.copied.size());
  for (const auto& [text, copies] : groups) {
    std::vector<TextRange> places = occurrences(text, target);
    if (places.size() != copies.size() || occurrences(text, source).size() != copies.size())
      return std::nullopt;
    match(copies, places, request, translation.links, matched);
    // Any word may also be a translation of another.
    if (is_plain_word(text))
      for (const size_t copy : copies)
        if (!is_linked(request.copied[copy].text, matched[copy], translation.links))
          return std::nullopt;
  }
  // Two different texts may claim the same place: "a.b" within "a.b.c".
  std::vector<TextRange> sorted = matched;
  std::ranges::sort(sorted, {}, &TextRange::begin);
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].begin < sorted[i - 1].end) return std::nullopt;
  return matched;
}

}  // namespace heed
