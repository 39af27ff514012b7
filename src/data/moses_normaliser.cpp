#include "heed/data/moses_normaliser.h"

#include <utf8proc.h>

#include <algorithm>
#include <span>
#include <utility>

#include "heed/base/characters.h"

namespace heed::moses {

namespace {

constexpr char32_t no_break_space = 0xA0;

struct Rule {
  std::u32string_view from, to;
};

// They follow each other; some undo what others have left.
void apply(std::span<const Rule> rules, TracedText& text) {
  for (const Rule& rule : rules) text.replace(rule.from, rule.to);
}

// As a regular expression has it: \d.
bool is_decimal_digit(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character)) == UTF8PROC_CATEGORY_ND;
}

constexpr Rule around_brackets[] = {{U"\r", U""}, {U"(", U" ("}, {U")", U") "}};
constexpr Rule inside_brackets[] = {{U") .", U")."}, {U") !", U")!"}, {U") :", U"):"},
                                    {U") ?", U")?"}, {U") ;", U");"}, {U") ,", U"),"},
                                    {U"( ", U"("},   {U" )", U")"}};
constexpr Rule before_marks[] = {{U" :", U":"}, {U" ;", U";"}};
constexpr Rule quotes_of_typewriters[] = {{U"`", U"'"}, {U"''", U" \" "}};
constexpr Rule quotes_and_dashes[] = {
    {U"„", U"\""}, {U"“", U"\""}, {U"”", U"\""}, {U"–", U"-"}, {U"—", U" - "}};
constexpr Rule single_quotes[] = {{U"´", U"'"}, {U"‘", U"'"},   {U"‚", U"'"},
                                  {U"’", U"'"}, {U"''", U"\""}, {U"…", U"..."}};
constexpr Rule french_quotes[] = {{U"\u00A0«\u00A0", U"\""}, {U"«\u00A0", U"\""}, {U"«", U"\""},
                                  {U"\u00A0»\u00A0", U"\""}, {U"\u00A0»", U"\""}, {U"»", U"\""}};
constexpr Rule no_break_spaces[] = {
    {U"\u00A0%", U"%"},    {U"nº\u00A0", U"nº "}, {U"\u00A0:", U":"},
    {U"\u00A0ºC", U" ºC"}, {U"\u00A0cm", U" cm"}, {U"\u00A0?", U"?"},
    {U"\u00A0!", U"!"},    {U"\u00A0;", U";"},    {U",\u00A0", U", "}};

// "5 %" is "5%".
TracedText with_close_percents(const TracedText& text) {
  TracedText result;
  for (size_t i = 0; i < text.size(); ++i) {
    result.push(text, i, i + 1);
    if (is_decimal_digit(text[i]) && i + 2 < text.size() && text[i + 1] == U' ' &&
        text[i + 2] == U'%')
      ++i;
  }
  return result;
}

size_t end_of_run(const TracedText& text, size_t begin, std::u32string_view of) {
  while (begin < text.size() && of.find(text[begin]) != of.npos) ++begin;
  return begin;
}

// English: commas and full stops go before a closing quote.
TracedText with_quotes_after_stops(const TracedText& text) {
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    const size_t end = text[i] == U'"' ? end_of_run(text, i + 1, U",.") : i + 1;
    if (end > i + 1) result.push(text, i + 1, end);
    result.push(text, i, i + 1);
    i = end;
  }
  return result;
}

// Where a text goes on after a full stop and a quote: spaces and one more character belong to what
// is replaced, and so cannot begin another replacement. Nothing goes on with "<".
size_t end_after_quote(const TracedText& text, size_t begin) {
  if (begin == text.size() || text[begin] == U'<') return begin;
  size_t end = begin;
  while (end < text.size() && is_space(text[end])) ++end;
  return end < text.size() && text[end] != U'<' ? end + 1 : end;
}

// German, Spanish and French: they go after it, unless the sentence ends there.
TracedText with_quotes_before_stops(TracedText text) {
  text.replace(U",\"", U"\",");
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    const size_t quote = end_of_run(text, i, U".");
    const bool is_quote = quote > i && quote < text.size() && text[quote] == U'"';
    const size_t end = is_quote ? end_after_quote(text, quote + 1) : i;
    if (is_quote && end > quote + 1) {
      result.push(text, quote, quote + 1);
      result.push(text, i, quote);
      result.push(text, quote + 1, end);
      i = end;
    } else {
      const size_t next = std::max(quote, i + 1);
      result.push(text, i, next);
      i = next;
    }
  }
  return result;
}

// "10 000" with a space that does not break: the mark that groups digits in the language.
TracedText with_grouped_digits(const TracedText& text, char32_t mark) {
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    const bool is_group = i + 2 < text.size() && is_decimal_digit(text[i]) &&
                          text[i + 1] == no_break_space && is_decimal_digit(text[i + 2]);
    result.push(text, i, i + 1);
    if (is_group) {
      result.push(mark, text.origin(i + 1));
      result.push(text, i + 2, i + 3);
    }
    i += is_group ? 3 : 1;
  }
  return result;
}

}  // namespace

TracedText normalised(TracedText text, std::string_view language) {
  const bool german_spanish_or_french = language == "de" || language == "es" || language == "fr";
  const bool czech = language == "cs" || language == "cz";
  apply(around_brackets, text);
  text.join_blanks();
  apply(inside_brackets, text);
  text = with_close_percents(text);
  apply(before_marks, text);
  apply(quotes_of_typewriters, text);
  apply(quotes_and_dashes, text);
  text.join_blanks();
  apply(single_quotes, text);
  apply(french_quotes, text);
  apply(no_break_spaces, text);
  text.join_blanks();
  if (language == "en") text = with_quotes_after_stops(text);
  if (german_spanish_or_french) text = with_quotes_before_stops(std::move(text));
  text = with_grouped_digits(text, german_spanish_or_french || czech ? U',' : U'.');
  return text.stripped();
}

}  // namespace heed::moses
