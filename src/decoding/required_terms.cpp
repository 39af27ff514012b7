#include "heed/decoding/required_terms.h"

#include <algorithm>

#include "heed/base/characters.h"

namespace heed {

namespace {

constexpr char32_t space_mark = U'\u2581';  // SentencePiece's

std::vector<int32_t> ids_within_a_sentence(const std::string& text, const Vocabulary& vocabulary) {
  const std::string before = "，";
  const std::vector<int32_t> first = vocabulary.encode(before),
                             both = vocabulary.encode(before + text);
  if (both.size() <= first.size() || !std::equal(first.begin(), first.end(), both.begin()))
    return {};
  return {both.begin() + static_cast<ptrdiff_t>(first.size()), both.end()};
}

void add_form(const std::string& text, const Vocabulary& vocabulary,
              std::vector<RequiredTerms::Form>& forms) {
  if (!vocabulary.unknown_parts(text).empty()) return;
  const std::u32string characters = characters_of(text);
  const bool needs_word_end = !is_written_without_spaces(characters.back());
  if (std::vector<int32_t> ids = vocabulary.encode(text); !ids.empty())
    forms.push_back({std::move(ids), needs_word_end});
  // Without spaces between words, what begins a sentence is not what begins a word.
  if (!is_written_without_spaces(characters.front())) return;
  if (std::vector<int32_t> ids = ids_within_a_sentence(text, vocabulary); !ids.empty())
    forms.push_back({std::move(ids), needs_word_end});
}

}  // namespace

WordBorders word_borders_of(const Vocabulary& vocabulary) {
  WordBorders borders;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    const std::u32string piece = characters_of(vocabulary.piece(id));
    // A word of Moses that goes on says so itself.
    borders.begins.push_back(vocabulary.is_for_moses() || id == Vocabulary::end || piece.empty() ||
                             piece.front() == space_mark || is_word_border(U'a', piece.front()));
    borders.goes_on.push_back(vocabulary.goes_on(id));
  }
  return borders;
}

std::vector<int32_t> RequiredTerms::all_ids() const {
  std::vector<int32_t> ids;
  for (const Term& term : terms)
    for (const Form& form : term.forms) ids.insert(ids.end(), form.ids.begin(), form.ids.end());
  return ids;
}

size_t RequiredTerms::longest(size_t term) const {
  size_t most = 0;
  for (const Form& form : terms[term].forms) most = std::max(most, form.ids.size());
  return most;
}

size_t RequiredTerms::tokens() const {
  size_t sum = 0;
  for (size_t term = 0; term < size(); ++term) sum += longest(term);
  return sum;
}

RequiredTerms required_terms(const Glossary& glossary, const std::vector<FoundTerm>& found,
                             std::span<const TextRange> source, const Vocabulary& vocabulary,
                             std::shared_ptr<const WordBorders> borders) {
  RequiredTerms required;
  for (const FoundTerm& one : found) {
    RequiredTerms::Term term;
    for (const std::string& text : glossary.terms()[one.term].target)
      add_form(text, vocabulary, term.forms);
    if (term.forms.empty()) continue;
    for (size_t token = 0; token < source.size(); ++token)
      if (std::ranges::any_of(one.places, [&](const TextRange& place) {
            return source[token].begin < place.end && place.begin < source[token].end;
          }))
        term.source.push_back(static_cast<int64_t>(token));
    required.terms.push_back(std::move(term));
  }
  required.borders = std::move(borders);
  return required;
}

TermProgress::TermProgress(const RequiredTerms& terms)
    : terms_(terms.empty() ? nullptr : &terms), is_met_(terms.size()) {}

bool TermProgress::ends_form() const {
  return std::ranges::any_of(begun_, [&](const Begun& begun) { return is_whole(begun); });
}

bool TermProgress::ends_form_of(size_t term) const {
  return std::ranges::any_of(
      begun_, [&](const Begun& begun) { return begun.term == term && is_whole(begun); });
}

void TermProgress::complete(size_t term) {
  is_met_[term] = true;
  ++complete_;
  tokens_met_ += terms_->longest(term);
  begun_.clear();
  tokens_ = 0;
}

// Whether what has begun is a whole term, with this token after it.
bool TermProgress::complete_before(int32_t token) {
  if (!terms_->borders->begins[static_cast<size_t>(token)]) return false;
  for (const Begun& begun : begun_)
    if (is_whole(begun)) {
      complete(begun.term);
      return true;
    }
  return false;
}

void TermProgress::begin(int32_t token) {
  begun_.clear();
  for (size_t term = 0; term < terms_->size() && !inside_word_; ++term) {
    if (is_met_[term]) continue;
    const std::vector<RequiredTerms::Form>& forms = terms_->terms[term].forms;
    for (size_t form = 0; form < forms.size(); ++form)
      if (forms[form].ids.front() == token) begun_.push_back({term, form});
  }
  tokens_ = begun_.empty() ? 0 : 1;
}

// Forms that need no end of a word after them.
void TermProgress::complete_open_ends() {
  for (const Begun& begun : begun_) {
    if (is_whole(begun) && !form_of(begun).needs_word_end) return complete(begun.term);
  }
}

TermProgress TermProgress::extended(int32_t token) const {
  TermProgress next = *this;
  if (terms_ == nullptr) return next;
  const bool is_border = next.complete_before(token);
  std::erase_if(next.begun_, [&](const Begun& begun) {
    const std::vector<int32_t>& ids = next.form_of(begun).ids;
    return ids.size() <= tokens_ || ids[tokens_] != token;
  });
  if (!is_border && !next.begun_.empty())
    ++next.tokens_;
  else
    next.begin(token);
  next.inside_word_ = terms_->borders->goes_on[static_cast<size_t>(token)];
  next.complete_open_ends();
  return next;
}

std::vector<int32_t> TermProgress::wanted() const {
  std::vector<int32_t> ids;
  if (terms_ == nullptr) return ids;
  for (const Begun& begun : begun_)
    if (const std::vector<int32_t>& form = form_of(begun).ids; form.size() > tokens_)
      ids.push_back(form[tokens_]);
  if (ids.empty() && !inside_word_)
    for (size_t term = 0; term < terms_->size(); ++term)
      if (!is_met_[term] && !ends_form_of(term))
        for (const RequiredTerms::Form& form : terms_->terms[term].forms)
          ids.push_back(form.ids.front());
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

std::vector<int64_t> TermProgress::source_of(int32_t token) const {
  std::vector<int64_t> source;
  const TermProgress next = extended(token);
  if (next.tokens_ > 1) return source;
  for (const Begun& begun : next.begun_) {
    const std::vector<int64_t>& own = terms_->terms[begun.term].source;
    source.insert(source.end(), own.begin(), own.end());
  }
  std::ranges::sort(source);
  source.erase(std::unique(source.begin(), source.end()), source.end());
  return source;
}

}  // namespace heed
