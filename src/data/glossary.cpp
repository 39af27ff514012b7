#include "heed/data/glossary.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

std::string_view without_spaces_around(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::vector<std::string> forms_between_bars(std::string_view column, const LineReader& lines) {
  std::vector<std::string> forms;
  for (size_t begin = 0; begin <= column.size();) {
    const size_t end = std::min(column.find('|', begin), column.size());
    const std::string_view form = without_spaces_around(column.substr(begin, end - begin));
    require(!form.empty(), "{}: a form in {} is empty", lines.where(), Quoted{column});
    forms.emplace_back(form);
    begin = end + 1;
  }
  return forms;
}

bool is_of_words(char32_t character) {
  return !is_space(character) && !is_punctuation(character) && !is_symbol(character);
}

// The byte that each character begins with, and the end.
std::vector<size_t> begins_of_characters(std::string_view text) {
  std::vector<size_t> begins;
  for (std::string_view rest = text; !rest.empty(); take_character(rest))
    begins.push_back(text.size() - rest.size());
  begins.push_back(text.size());
  return begins;
}

bool is_border(std::u32string_view text, size_t place) {
  return place == 0 || place == text.size() || is_word_border(text[place - 1], text[place]);
}

}  // namespace

bool is_word_border(char32_t before, char32_t after) {
  return !is_of_words(before) || !is_of_words(after) || is_written_without_spaces(before) ||
         is_written_without_spaces(after);
}

Glossary Glossary::load(const std::string& path) {
  LineReader lines(path);
  return read(lines);
}

Glossary Glossary::read(LineReader& lines) {
  Glossary glossary;
  for (std::string line; lines.next(line);) {
    if (line.empty()) continue;
    require(is_utf8(line), "{}: is not UTF-8", lines.where());
    const size_t tab = line.find('\t');
    require(tab != line.npos,
            "{}: a term, a tab and its translation were expected but {} was found", lines.where(),
            Quoted{line});
    const std::string_view rest = std::string_view(line).substr(tab + 1);
    glossary.add(std::string_view(line).substr(0, tab), rest.substr(0, rest.find('\t')), lines);
  }
  require(!glossary.terms_.empty(), "{}: there are no terms", lines.name());
  return glossary;
}

void Glossary::add(std::string_view source, std::string_view target, const LineReader& lines) {
  const auto [place, is_new] = by_source_.emplace(source, terms_.size());
  std::vector<std::string> translations = forms_between_bars(target, lines);
  if (!is_new) {
    std::vector<std::string>& known = terms_[place->second].target;
    std::ranges::move(translations, std::back_inserter(known));
    return;
  }
  terms_.push_back({forms_between_bars(source, lines), std::move(translations)});
  for (const std::string& form : terms_.back().source) {
    const std::u32string characters = characters_of(form);
    forms_[lowercase(characters)].push_back({characters, place->second});
    longest_ = std::max(longest_, characters.size());
  }
}

uint32_t Glossary::checksum() const {
  uint32_t sum = 0;
  for (const GlossaryTerm& term : terms_)
    for (const std::vector<std::string>* side : {&term.source, &term.target})
      for (const std::string& form : *side)
        sum = heed::checksum(std::as_bytes(std::span(form.c_str(), form.size() + 1)), sum);
  return sum;
}

// One that is written in just this way goes first.
const Glossary::Form* Glossary::form_of(std::u32string_view words) const {
  const std::u32string lower = lowercase(words);
  const auto found = forms_.find(lower);
  if (found == forms_.end()) return nullptr;
  const Form* any_case = nullptr;
  for (const Form& form : found->second) {
    if (form.characters == words) return &form;
    if (form.characters == lower && any_case == nullptr) any_case = &form;
  }
  return any_case;
}

std::vector<FoundTerm> Glossary::terms_in(std::string_view text) const {
  const std::u32string all = characters_of(text);
  const std::vector<size_t> bytes = begins_of_characters(text);
  const std::u32string_view characters = all;
  std::vector<FoundTerm> terms;
  for (size_t begin = 0; begin < all.size();) {
    size_t next = begin + 1;
    if (is_border(characters, begin))
      for (size_t end = std::min(begin + longest_, all.size()); end > begin; --end) {
        if (!is_border(characters, end)) continue;
        const Form* form = form_of(characters.substr(begin, end - begin));
        if (form == nullptr) continue;
        auto found = std::ranges::find(terms, form->term, &FoundTerm::term);
        if (found == terms.end()) found = terms.insert(found, {form->term, {}});
        found->places.push_back({bytes[begin], bytes[end]});
        next = end;
        break;
      }
    begin = next;
  }
  return terms;
}

bool Glossary::is_translated(size_t term, std::string_view text) const {
  const std::u32string characters = characters_of(text);
  return std::ranges::any_of(terms_[term].target, [&](const std::string& target) {
    const std::u32string form = characters_of(target);
    for (size_t at = characters.find(form); at != characters.npos;
         at = characters.find(form, at + 1))
      if (is_border(characters, at) && is_border(characters, at + form.size())) return true;
    return false;
  });
}

}  // namespace heed
