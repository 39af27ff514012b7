#include "heed/markup/placement.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/text.h"
#include "heed/base/utf8_bytes.h"
#include "heed/markup/entities.h"

namespace heed {

namespace {

Stack common(const Stack& a, const Stack& b) {
  const auto end = std::ranges::mismatch(a, b).in1;
  return Stack(a.begin(), end);
}

bool is_boundary(std::string_view text, size_t at) {
  return at == text.size() || !is_inside_character(text[at]);
}

bool is_within(TextRange range, std::string_view text) {
  return range.begin < range.end && range.end <= text.size() && is_boundary(text, range.begin) &&
         is_boundary(text, range.end);
}

// Of a letter of any script or a digit.
bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Whether a text is punctuation and nothing else.
bool is_mark(std::string_view text) {
  while (!text.empty()) {
    const std::optional<char32_t> c = take_character(text);
    if (!c || !is_punctuation(*c)) return false;
  }
  return true;
}

std::vector<TextRange> words_of(std::string_view text) {
  std::vector<TextRange> words;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find_first_not_of(' ', at);
    if (begin == text.npos) break;
    at = std::min(text.find(' ', begin), text.size());
    words.push_back({begin, at});
  }
  return words;
}

// As if words kept their order.
TextLinks diagonal(std::string_view source, std::string_view target) {
  const std::vector<TextRange> from = words_of(source), to = words_of(target);
  TextLinks links;
  if (from.empty() || to.empty()) return links;
  for (size_t i = 0; i < to.size(); ++i)
    links.of_target.push_back({from[i * from.size() / to.size()], to[i]});
  for (size_t i = 0; i < from.size(); ++i)
    links.of_source.push_back({from[i], to[i * to.size() / from.size()]});
  return links;
}

// Those that can be followed, in order.
TextLinks usable(const TextLinks& links, std::string_view source, std::string_view target) {
  TextLinks kept;
  const auto copy = [&](const std::vector<TextLink>& from, TextRange TextLink::*side,
                        std::vector<TextLink>& to) {
    for (const TextLink& link : from)
      if (is_within(link.source, source) && is_within(link.target, target)) to.push_back(link);
    std::ranges::stable_sort(to, {}, [&](const TextLink& link) { return (link.*side).begin; });
    size_t end = 0;
    std::erase_if(to, [&](const TextLink& link) {
      if ((link.*side).begin < end) return true;
      end = (link.*side).end;
      return false;
    });
  };
  copy(links.of_target, &TextLink::target, kept.of_target);
  copy(links.of_source, &TextLink::source, kept.of_source);
  if (kept.of_target.empty()) return diagonal(source, target);
  // Each source word that a target word chose has at least that one.
  std::map<size_t, TextLink> of_source;
  for (const TextLink& link : kept.of_target) of_source.emplace(link.source.begin, link);
  for (const TextLink& link : kept.of_source) of_source[link.source.begin] = link;
  kept.of_source.clear();
  size_t end = 0;
  for (const auto& [begin, link] : of_source) {
    if (begin < end) continue;
    kept.of_source.push_back(link);
    end = link.source.end;
  }
  return kept;
}

// Of something to the word on one side of it.
int closeness(bool touches_word, bool has_space) {
  if (touches_word) return 2;
  return has_space ? 1 : 0;  // to a punctuation mark
}

// A stretch of a translation: a word, what is between words, or a text that was copied.
struct Span {
  static constexpr size_t none = static_cast<size_t>(-1);

  TextRange range;
  size_t link = none;  // of its word
  size_t copy = none;
  Stack stack = {};
};

class Placer {
 public:
  Placer(const Passage& passage, const SentenceRequest& request,
         const TranslatedSentence& translation, std::span<const TextRange> copies)
      : passage_(passage),
        request_(request),
        text_(translation.text),
        copies_(copies),
        links_(usable(translation.links, request.text, translation.text)) {}

  PlacedSentence run() &&;

 private:
  void find_spans();
  bool is_stray_mark(const Span& span) const;
  void fill_gaps();
  std::vector<size_t> find_places() const;
  size_t place_of(const Insertion& insertion) const;
  size_t end_of_span(size_t at) const;
  const Stack& main_stack(TextRange word) const;
  void find_word_stacks();
  const Stack& stack_of(TextRange source) const;
  const Stack& stack_at(size_t byte) const { return passage_.stacks[request_.stacks[byte]]; }

  void add(std::string output, Stack stack);
  void add_blank_before(const Stack& next);
  void add_insertion(const Insertion& insertion);
  void add_span(const Span& span);
  void find_forsaken();

  const Passage& passage_;
  const SentenceRequest& request_;
  std::string_view text_;
  std::span<const TextRange> copies_;
  TextLinks links_;
  std::map<size_t, Stack> word_stacks_;  // of source words, by where they begin
  std::vector<Span> spans_;
  PlacedSentence placed_;
  std::vector<size_t> piece_of_link_;
  enum class Blank { none, before_words, wanted };
  Blank blank_ = Blank::none;  // before what comes next
  bool after_insertion_ = false;
};

// The stack that most bytes of a word have; the first of equals.
const Stack& Placer::main_stack(TextRange word) const {
  std::map<uint32_t, size_t> bytes;
  for (size_t i = word.begin; i < word.end; ++i) ++bytes[request_.stacks[i]];
  uint32_t best = request_.stacks[word.begin];
  for (size_t i = word.begin; i < word.end; ++i)
    if (bytes[request_.stacks[i]] > bytes[best]) best = request_.stacks[i];
  return passage_.stacks[best];
}

// Each word is in one stack. An element that is around parts of words only comes around these
// words.
void Placer::find_word_stacks() {
  std::set<uint32_t> seen;
  for (const TextLink& link : links_.of_source) {
    const Stack& stack = main_stack(link.source);
    word_stacks_.emplace(link.source.begin, stack);
    seen.insert(stack.begin(), stack.end());
  }
  for (const TextLink& link : links_.of_source)
    for (size_t i = link.source.begin; i < link.source.end; ++i)
      for (const uint32_t element : stack_at(i)) {
        if (seen.contains(element)) continue;
        Stack& stack = word_stacks_[link.source.begin];
        const Stack& outer = passage_.elements[element].outer;
        stack.insert(stack.end(), outer.begin(), outer.end());
        stack.push_back(element);
        std::ranges::sort(stack);
        stack.erase(std::unique(stack.begin(), stack.end()), stack.end());
      }
}

const Stack& Placer::stack_of(TextRange source) const {
  const auto known = word_stacks_.find(source.begin);
  return known != word_stacks_.end() ? known->second : main_stack(source);
}

void Placer::find_spans() {
  std::vector<size_t> link_of(text_.size(), Span::none), copy_of(text_.size(), Span::none);
  for (size_t i = 0; i < links_.of_target.size(); ++i) {
    const TextRange range = links_.of_target[i].target;
    std::fill_n(link_of.begin() + static_cast<std::ptrdiff_t>(range.begin), range.size(), i);
  }
  for (size_t i = 0; i < copies_.size(); ++i)
    std::fill_n(copy_of.begin() + static_cast<std::ptrdiff_t>(copies_[i].begin), copies_[i].size(),
                i);
  for (size_t at = 0; at < text_.size(); ++at) {
    const bool goes_on = !spans_.empty() && spans_.back().copy == copy_of[at] &&
                         (copy_of[at] != Span::none || spans_.back().link == link_of[at]);
    if (goes_on)
      spans_.back().range.end = at + 1;
    else
      spans_.push_back({.range = {at, at + 1}, .link = link_of[at], .copy = copy_of[at]});
  }
}

// A mark that attends to a word says little: a full stop attends to anything where the source has
// none.
bool Placer::is_stray_mark(const Span& span) const {
  if (span.link == Span::none) return false;
  const TextRange source = links_.of_target[span.link].source;
  return is_mark(text_.substr(span.range.begin, span.range.size())) &&
         !is_mark(std::string_view(request_.text).substr(source.begin, source.size()));
}

// What is between two words is in what both are in.
void Placer::fill_gaps() {
  std::vector<bool> known(spans_.size());
  for (size_t i = 0; i < spans_.size(); ++i) {
    Span& span = spans_[i];
    known[i] = span.copy != Span::none || (span.link != Span::none && !is_stray_mark(span));
    if (span.copy != Span::none)
      span.stack = passage_.stacks[request_.copied[span.copy].fixed->stack];
    else if (known[i])
      span.stack = stack_of(links_.of_target[span.link].source);
  }
  const size_t last_byte = request_.text.empty() ? 0 : request_.text.size() - 1;
  const bool ends_with_mark =
      !request_.text.empty() && is_mark(std::string_view(request_.text).substr(last_byte));
  for (size_t begin = 0, end = 0; begin < spans_.size(); begin = end) {
    end = begin + 1;
    if (known[begin]) continue;
    while (end < spans_.size() && !known[end]) ++end;
    const bool has_before = begin > 0, has_after = end < spans_.size();
    Stack stack;
    if (has_before && has_after)
      stack = common(spans_[begin - 1].stack, spans_[end].stack);
    else if (has_before || has_after)
      stack = spans_[has_before ? begin - 1 : end].stack;
    else if (!request_.stacks.empty())
      stack = stack_at(0);
    // The mark that ends the sentence is where that of the source is.
    if (has_before && !has_after && ends_with_mark) stack = common(stack, stack_at(last_byte));
    for (size_t i = begin; i < end; ++i) spans_[i].stack = stack;
  }
}

size_t Placer::end_of_span(size_t at) const {
  const auto span =
      std::ranges::lower_bound(spans_, at, {}, [](const Span& s) { return s.range.end; });
  if (at == 0 || span == spans_.end()) return std::min(at, text_.size());
  return span->range.end;
}

// Next to the word before or after it: the one in the same elements, then the one that it touches,
// then the one before. A punctuation mark counts less than a word.
size_t Placer::place_of(const Insertion& insertion) const {
  const std::vector<TextLink>& links = links_.of_source;
  const Stack& stack = passage_.stacks[insertion.stack];
  if (stack.empty() && insertion.at == 0) return 0;
  if (stack.empty() && insertion.at == request_.text.size()) return text_.size();
  const auto next = std::ranges::lower_bound(
      links, insertion.at, {}, [](const TextLink& link) { return link.source.begin; });
  const bool has_next = next != links.end(), has_previous = next != links.begin();
  if (!has_next && !has_previous) return insertion.at == 0 ? 0 : text_.size();
  bool takes_next = !has_previous;
  if (has_next && has_previous) {
    const size_t with_next = common(stack, stack_of(next->source)).size(),
                 with_previous = common(stack, stack_of(std::prev(next)->source)).size();
    takes_next = with_next != with_previous
                     ? with_next > with_previous
                     : closeness(insertion.word_after, insertion.space_after) >
                           closeness(insertion.word_before, insertion.space_before);
  }
  return takes_next ? next->target.begin : end_of_span(std::prev(next)->target.end);
}

// Insertions keep their order.
std::vector<size_t> Placer::find_places() const {
  std::vector<size_t> places;
  for (const Insertion& insertion : request_.insertions) {
    size_t place = place_of(insertion);
    for (const TextRange copy : copies_)
      if (copy.begin < place && place < copy.end) place = copy.end;
    places.push_back(places.empty() ? place : std::max(place, places.back()));
  }
  return places;
}

void Placer::add(std::string output, Stack stack) {
  placed_.pieces.push_back({std::move(output), std::move(stack)});
}

void Placer::add_blank_before(const Stack& next) {
  if (placed_.pieces.empty() || placed_.pieces.back().output.ends_with(' ')) return;
  add(" ", common(placed_.pieces.back().stack, next));
}

// With a space where it had one, and where it would touch a word that it did not touch.
void Placer::add_insertion(const Insertion& insertion) {
  const Stack& stack = passage_.stacks[insertion.stack];
  const bool is_first = placed_.pieces.empty();
  const char last = is_first ? ' ' : placed_.pieces.back().output.back();
  constexpr std::string_view opening = "([{";
  const bool needs_blank = insertion.space_before && opening.find(last) == opening.npos;
  const bool touches = !insertion.word_before && !after_insertion_ && is_word_byte(last);
  if (blank_ == Blank::wanted || needs_blank || touches) add_blank_before(stack);
  add(std::string(insertion.output), stack);
  after_insertion_ = true;
  if (insertion.space_after || (insertion.space_before && is_first))
    blank_ = Blank::wanted;
  else
    blank_ = insertion.word_after ? Blank::none : Blank::before_words;
}

void Placer::add_span(const Span& span) {
  const std::string_view text = text_.substr(span.range.begin, span.range.size());
  constexpr std::string_view closing = ".,;:!?)]} ";
  const Blank blank = std::exchange(blank_, Blank::none);
  if ((blank == Blank::wanted && closing.find(text[0]) == closing.npos) ||
      (blank == Blank::before_words && is_word_byte(text[0])))
    add_blank_before(span.stack);
  after_insertion_ = false;
  if (span.copy == Span::none && span.link != Span::none)
    piece_of_link_[span.link] = placed_.pieces.size();
  if (span.copy != Span::none)
    add(request_.copied[span.copy].fixed->output, span.stack);
  else
    add(encode_entities(text, passage_.kind), span.stack);
}

// Elements of the request that no piece is in.
void Placer::find_forsaken() {
  std::set<uint32_t> seen;
  for (const Placed& piece : placed_.pieces) seen.insert(piece.stack.begin(), piece.stack.end());
  for (const TextLink& link : links_.of_source) {
    size_t piece = Span::none;
    for (size_t byte = link.source.begin; byte < link.source.end; ++byte) {
      if (byte > link.source.begin && request_.stacks[byte] == request_.stacks[byte - 1]) continue;
      for (const uint32_t element : stack_at(byte)) {
        if (!seen.insert(element).second) continue;
        if (piece == Span::none) {
          const auto target =
              std::ranges::lower_bound(links_.of_target, link.target.begin, {},
                                       [](const TextLink& other) { return other.target.begin; });
          if (target != links_.of_target.end())
            piece = piece_of_link_[static_cast<size_t>(target - links_.of_target.begin())];
        }
        placed_.forsaken.push_back({.element = element,
                                    .piece = piece == Span::none ? 0 : piece,
                                    .is_word = piece != Span::none});
      }
    }
  }
}

PlacedSentence Placer::run() && {
  find_word_stacks();
  find_spans();
  fill_gaps();
  piece_of_link_.assign(links_.of_target.size(), Span::none);
  const std::vector<size_t> places = find_places();
  size_t next = 0;
  for (const Span& span : spans_) {
    for (; next < places.size() && places[next] <= span.range.begin; ++next)
      add_insertion(request_.insertions[next]);
    add_span(span);
  }
  for (; next < places.size(); ++next) add_insertion(request_.insertions[next]);
  find_forsaken();
  return std::move(placed_);
}

}  // namespace

PlacedSentence place(const Passage& passage, const SentenceRequest& request,
                     const TranslatedSentence& translation, std::span<const TextRange> copies) {
  return Placer(passage, request, translation, copies).run();
}

}  // namespace heed
