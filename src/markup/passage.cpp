#include "heed/markup/passage.h"

#include <algorithm>
#include <utility>

#include "heed/base/characters.h"
#include "heed/base/text.h"
#include "heed/markup/entities.h"
#include "heed/markup/placeholders.h"

namespace heed {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// References may stand for blanks and line ends, which are one blank to the model.
std::string decoded_word(std::string_view raw, MarkupKind kind) {
  std::string text = decode_entities(raw, kind);
  std::ranges::replace_if(
      text, [](char c) { return is_blank(c); }, ' ');
  return text;
}

// Finds the sentences of a passage and what belongs to each.
class SentenceFinder {
 public:
  explicit SentenceFinder(Passage& passage) : passage_(passage) {}

  void find(SentenceSplit split, const std::string& language);

 private:
  void find_fixed();
  bool is_whole(TextRange range) const;
  void split_parts();
  void assign_parts();
  void assign_fixed();
  size_t sentence_at(const PassagePart& part) const;

  static constexpr size_t none = static_cast<size_t>(-1);

  Passage& passage_;
  std::vector<FixedText> fixed_;
};

// Whether one element, or none, holds all of the text, and nothing stands in between.
bool SentenceFinder::is_whole(TextRange range) const {
  auto part = std::ranges::upper_bound(passage_.parts, range.begin, {},
                                       [](const PassagePart& p) { return p.text.begin; });
  if (part == passage_.parts.begin()) return false;
  while (part != passage_.parts.begin() && std::prev(part)->text.end > range.begin) --part;
  const uint32_t stack = part->stack;
  for (; part != passage_.parts.end() && part->text.begin < range.end; ++part)
    if (part->kind == PartKind::item || part->kind == PartKind::untouched || part->stack != stack)
      return false;
  return true;
}

void SentenceFinder::find_fixed() {
  for (const PassagePart& part : passage_.parts)
    if (part.kind == PartKind::untouched)
      fixed_.push_back({.text = part.text,
                        .output = std::string(part.raw),
                        .stack = part.stack,
                        .is_placeholder = false,
                        .space_before = part.space_before,
                        .space_after = part.space_after});
  const std::string_view text = passage_.text;
  for (const TextRange range : find_placeholders(text)) {
    if (!is_whole(range)) continue;
    const auto part = std::prev(std::ranges::upper_bound(
        passage_.parts, range.begin, {}, [](const PassagePart& p) { return p.text.begin; }));
    fixed_.push_back(
        {.text = range,
         .output = encode_entities(text.substr(range.begin, range.size()), passage_.kind),
         .stack = part->stack,
         .space_before = range.begin > 0 && is_blank(text[range.begin - 1]),
         .space_after = range.end < text.size() && is_blank(text[range.end])});
  }
  std::ranges::sort(fixed_, {}, [](const FixedText& fixed) { return fixed.text.begin; });
}

// So that each part is in one sentence or in none.
void SentenceFinder::split_parts() {
  std::vector<size_t> cuts;
  for (const PassageSentence& sentence : passage_.sentences) {
    cuts.push_back(sentence.text.begin);
    cuts.push_back(sentence.text.end);
  }
  std::vector<PassagePart> parts;
  auto cut = cuts.begin();
  for (PassagePart part : passage_.parts) {
    while (cut != cuts.end() && *cut <= part.text.begin) ++cut;
    for (; cut != cuts.end() && *cut < part.text.end && part.kind == PartKind::text; ++cut) {
      if (*cut == part.text.begin) continue;
      PassagePart front = part;
      const size_t length = *cut - part.text.begin;
      const bool is_plain = part.raw.size() == part.text.size();  // without references
      front.text.end = part.text.begin = *cut;
      front.raw = is_plain ? part.raw.substr(0, length) : "";
      part.raw = is_plain ? part.raw.substr(length) : "";
      parts.push_back(front);
    }
    parts.push_back(part);
  }
  passage_.parts = std::move(parts);
}

size_t SentenceFinder::sentence_at(const PassagePart& part) const {
  if (part.kind != PartKind::text && part.kind != PartKind::untouched) return none;
  const auto after =
      std::ranges::upper_bound(passage_.sentences, part.text.begin, {},
                               [](const PassageSentence& s) { return s.text.begin; });
  if (after == passage_.sentences.begin()) return none;
  const auto sentence = std::prev(after);
  if (part.text.begin >= sentence->text.end) return none;
  return static_cast<size_t>(sentence - passage_.sentences.begin());
}

// Items between two sentences go with the one that no space parts them from.
void SentenceFinder::assign_parts() {
  const std::vector<PassagePart>& parts = passage_.parts;
  std::vector<size_t> owners(parts.size());
  std::ranges::transform(parts, owners.begin(),
                         [&](const auto& part) { return sentence_at(part); });
  const auto is_item = [&](size_t i) { return parts[i].kind == PartKind::item; };
  for (size_t i = 0; i < parts.size(); ++i) {
    if (owners[i] == none) continue;
    PassageSentence& sentence = passage_.sentences[owners[i]];
    if (sentence.end_part == 0) {
      sentence.first_part = i;
      const size_t free = owners[i] > 0 ? passage_.sentences[owners[i] - 1].end_part : 0;
      while (sentence.first_part > free && is_item(sentence.first_part - 1)) --sentence.first_part;
    }
    sentence.end_part = i + 1;
  }
  // What follows the last word of a sentence without a space.
  for (size_t s = 0; s < passage_.sentences.size(); ++s) {
    PassageSentence& sentence = passage_.sentences[s];
    while (sentence.end_part < parts.size() && is_item(sentence.end_part)) ++sentence.end_part;
    if (s + 1 < passage_.sentences.size())
      passage_.sentences[s + 1].first_part =
          std::max(passage_.sentences[s + 1].first_part, sentence.end_part);
  }
}

void SentenceFinder::assign_fixed() {
  auto fixed = fixed_.begin();
  for (PassageSentence& sentence : passage_.sentences) {
    size_t from = sentence.text.begin;
    const auto look_at = [&](size_t end) {
      sentence.has_words =
          sentence.has_words || has_words(std::string_view(passage_.text).substr(from, end - from));
    };
    for (; fixed != fixed_.end() && fixed->text.begin < sentence.text.end; ++fixed) {
      look_at(fixed->text.begin);
      from = fixed->text.end;
      sentence.fixed.push_back(*fixed);
    }
    look_at(sentence.text.end);
  }
}

void SentenceFinder::find(SentenceSplit split, const std::string& language) {
  find_fixed();
  // A sentence does not end within what must stay together.
  auto fixed = fixed_.begin();
  for (const TextRange range : find_sentences(passage_.text, split, language)) {
    while (fixed != fixed_.end() && fixed->text.end <= range.begin) ++fixed;
    if (fixed != fixed_.end() && fixed->text.begin < range.begin && !passage_.sentences.empty())
      passage_.sentences.back().text.end = range.end;
    else
      passage_.sentences.push_back({.text = range});
  }
  split_parts();
  assign_parts();
  assign_fixed();
}

}  // namespace

bool has_words(std::string_view text) {
  while (!text.empty()) {
    const std::optional<char32_t> c = take_character(text);
    if (!c || is_part_of_word(*c)) return true;
  }
  return false;
}

void PassageBuilder::set_stack(const Stack& stack) {
  const auto [known, is_new] =
      numbers_.try_emplace(stack, static_cast<uint32_t>(passage_.stacks.size()));
  if (is_new) passage_.stacks.push_back(stack);
  stack_ = known->second;
}

void PassageBuilder::add(PassagePart part) {
  part.stack = stack_;
  if (part.kind == PartKind::space) {
    space_since_content_ = true;
    if (last_content_ > 0) passage_.parts[last_content_ - 1].space_after = true;
  } else {
    part.space_before = std::exchange(space_since_content_, false);
    last_content_ = passage_.parts.size() + 1;
  }
  passage_.parts.push_back(part);
}

// What follows a space is none to the model.
void PassageBuilder::add_space(std::string_view raw) {
  std::string& text = passage_.text;
  const size_t begin = text.size();
  if (text.empty() || !is_blank(text.back())) text += ' ';
  if (lines_ == LineEnds::kept && raw.find_first_of("\r\n") != raw.npos) text.back() = '\n';
  add({.kind = PartKind::space, .text = {begin, passage_.text.size()}, .raw = raw});
}

void PassageBuilder::add_text(std::string_view raw) {
  while (!raw.empty()) {
    const bool blank = is_blank(raw[0]);
    const auto end = std::ranges::find_if(raw, [&](char c) { return is_blank(c) != blank; });
    const std::string_view run = raw.substr(0, static_cast<size_t>(end - raw.begin()));
    raw.remove_prefix(run.size());
    if (blank) {
      add_space(run);
      continue;
    }
    const size_t begin = passage_.text.size();
    passage_.text += decoded_word(run, passage_.kind);
    add({.kind = PartKind::text, .text = {begin, passage_.text.size()}, .raw = run});
  }
}

void PassageBuilder::add_item(std::string_view raw, bool separates_words) {
  const size_t at = passage_.text.size();
  add({.kind = PartKind::item, .text = {at, at}, .raw = raw, .separates_words = separates_words});
}

void PassageBuilder::add_untouched(std::string_view raw, std::string_view plain) {
  const size_t begin = passage_.text.size();
  passage_.text += plain;
  add({.kind = PartKind::untouched, .text = {begin, passage_.text.size()}, .raw = raw});
}

uint32_t PassageBuilder::open(std::string_view start_tag) {
  const auto element = static_cast<uint32_t>(passage_.elements.size());
  Stack stack = passage_.stacks[stack_];
  passage_.elements.push_back({.start = start_tag, .end = {}, .outer = stack});
  stack.push_back(element);
  set_stack(stack);
  return element;
}

void PassageBuilder::close(uint32_t element, std::string_view end_tag) {
  passage_.elements[element].end = end_tag;
  Stack stack = passage_.stacks[stack_];
  std::erase(stack, element);
  set_stack(stack);
}

Passage PassageBuilder::finish(SentenceSplit split, const std::string& language) && {
  SentenceFinder(passage_).find(split, language);
  return std::move(passage_);
}

}  // namespace heed
