#include "heed/markup/sentences.h"

#include <unicode/brkiter.h>
#include <unicode/filteredbrk.h>
#include <unicode/locid.h>
#include <unicode/utext.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "heed/base/characters.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

using Breaker = std::unique_ptr<icu::BreakIterator>;

// Where a language has no abbreviations of its own, titles such as "Dr." are those of English.
Breaker make_breaker(const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  Breaker breaker(
      icu::BreakIterator::createSentenceInstance(icu::Locale(language.c_str()), status));
  require(U_SUCCESS(status) && breaker, ErrorKind::system,
          "sentences: the rules of Unicode cannot be loaded: {}", u_errorName(status));
  for (const std::string& name : {language, std::string("en")}) {
    status = U_ZERO_ERROR;
    const std::unique_ptr<icu::FilteredBreakIteratorBuilder> abbreviations(
        icu::FilteredBreakIteratorBuilder::createInstance(icu::Locale(name.c_str()), status));
    if (U_FAILURE(status) || status == U_USING_DEFAULT_WARNING || !abbreviations) continue;
    icu::BreakIterator* plain = breaker.release();
    breaker.reset(abbreviations->wrapIteratorWithFilter(plain, status));
    require(U_SUCCESS(status) && breaker, ErrorKind::system,
            "sentences: the abbreviations of {} cannot be loaded: {}", Quoted{name},
            u_errorName(status));
    break;
  }
  return breaker;
}

// Loading rules takes longer than splitting a page, so each language's are loaded once and copied.
Breaker breaker_of(const std::string& language) {
  static std::mutex mutex;
  static std::map<std::string, Breaker> loaded;
  constexpr size_t most = 500;  // whatever callers call languages
  const std::lock_guard lock(mutex);
  if (loaded.size() > most) loaded.clear();
  Breaker& prototype = loaded[language];
  if (!prototype) prototype = make_breaker(language);
  return Breaker(prototype->clone());
}

// A language's code without region and script, in a form that locales know.
std::string code_of(std::string_view language) {
  std::string code;
  for (const char letter : language.substr(0, 8)) {
    const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    if (lower < 'a' || lower > 'z') break;
    code += lower;
  }
  return code;
}

bool ends_line(char byte) { return byte == '\n' || byte == '\r'; }

// Where ordinal numbers are written with a full stop: "am 3. Mai".
bool has_ordinal_stops(std::string_view language) {
  constexpr std::array<std::string_view, 16> codes = {"bs", "cs", "da", "de", "et", "fi",
                                                      "hr", "hu", "is", "lb", "lv", "nb",
                                                      "nn", "no", "sk", "sl"};
  return std::ranges::find(codes, language) != codes.end();
}

// The word before the full stop that ends `text`, or nothing if it does not end in one.
std::optional<std::u32string> word_before_stop(std::string_view text) {
  if (!text.ends_with('.')) return std::nullopt;
  std::u32string characters = characters_of(text.substr(0, text.size() - 1));
  size_t begin = characters.size();
  while (begin > 0 && !is_space(characters[begin - 1]) && !is_punctuation(characters[begin - 1]))
    --begin;
  return characters.substr(begin);
}

// Full stops that rarely end a sentence, whatever the abbreviations of the language: of an initial
// or a part of an abbreviation ("J. Smith", "z. B."), and of an ordinal number.
bool is_no_end(std::string_view text, std::string_view language) {
  const std::optional<std::u32string> word = word_before_stop(text);
  if (!word || word->empty()) return false;
  if (word->size() == 1 && !is_number(word->front()))
    return !is_written_without_spaces(word->front()) && !(language == "en" && *word == U"I");
  return word->size() <= 2 && has_ordinal_stops(language) &&
         std::ranges::all_of(*word, [](char32_t c) { return c >= U'0' && c <= U'9'; });
}

// The range without space at its ends.
TextRange trimmed(std::string_view text, TextRange range) {
  std::string_view rest = text.substr(range.begin, range.size());
  size_t end = range.begin;
  std::optional<size_t> begin;
  while (!rest.empty()) {
    const size_t at = range.end - rest.size();
    const std::optional<char32_t> character = take_character(rest);
    if (character && is_space(*character)) continue;
    if (!begin) begin = at;
    end = range.end - rest.size();
  }
  return begin ? TextRange{*begin, end} : TextRange{range.end, range.end};
}

// The end of a range, without the space after it.
std::string_view last_word(std::string_view text, TextRange range) {
  constexpr size_t enough = 64;  // bytes
  if (range.size() > enough) range.begin = range.end - enough;
  range = trimmed(text, range);
  return text.substr(range.begin, range.size());
}

// Line ends become as many spaces, for a reader that would end a sentence there.
std::string without_line_ends(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace_if(spaced, ends_line, ' ');
  for (const std::string_view separator : {"\xE2\x80\xA8", "\xE2\x80\xA9", "\xC2\x85"})
    for (size_t at = spaced.find(separator); at != spaced.npos; at = spaced.find(separator, at))
      spaced.replace(at, separator.size(), separator.size(), ' ');
  return spaced;
}

}  // namespace

std::vector<TextRange> find_sentences(std::string_view text, SentenceSplit split,
                                      const std::string& language) {
  std::vector<TextRange> sentences;
  const auto add = [&](TextRange range) {
    const TextRange sentence = trimmed(text, range);
    if (sentence.size() > 0) sentences.push_back(sentence);
  };
  constexpr size_t longest = size_t{1} << 30;
  require(text.size() <= longest, "sentences: a text of {} bytes but at most 1 GiB was expected",
          text.size());
  if (split == SentenceSplit::none) {
    add({0, text.size()});
    return sentences;
  }
  const std::string code = code_of(language);
  const std::string spaced = split == SentenceSplit::punctuation ? without_line_ends(text) : "";
  const std::string_view read = split == SentenceSplit::punctuation ? spaced : text;

  const Breaker breaker = breaker_of(code);
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> opened(
      utext_openUTF8(nullptr, read.data(), static_cast<int64_t>(read.size()), &status),
      &utext_close);
  breaker->setText(opened.get(), status);
  require(U_SUCCESS(status), ErrorKind::system, "sentences: {}", u_errorName(status));
  size_t begin = 0;
  for (int32_t at = breaker->next(); at != icu::BreakIterator::DONE; at = breaker->next()) {
    const auto end = static_cast<size_t>(at);
    if (end < read.size() && !ends_line(read[end - 1]) &&
        is_no_end(last_word(text, {begin, end}), code))
      continue;
    add({begin, end});
    begin = end;
  }
  add({begin, text.size()});
  return sentences;
}

}  // namespace heed
