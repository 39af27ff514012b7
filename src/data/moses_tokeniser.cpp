#include "heed/data/moses_tokeniser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "heed/base/characters.h"
#include "heed/data/moses_characters.h"

namespace heed::moses {

namespace {

// Stands for a full stop that is one of several, until all other rules have been applied.
constexpr char32_t one_of_many_stops = 0x110000;

TracedText without_control_characters(const TracedText& text) {
  TracedText result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool space = heed::is_space(text[i]);
    if (space && i > 0 && heed::is_space(text[i - 1])) continue;
    if (space)
      result.push(U' ');
    else if (text[i] >= U' ')
      result.push(text, i, i + 1);
  }
  return result;
}

void push_apart(TracedText& to, const TracedText& from, size_t at) {
  to.push(U' ');
  to.push(from, at, at + 1);
  to.push(U' ');
}

// "..." is a word.
TracedText with_marked_stops(const TracedText& text) {
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && text[end] == U'.') ++end;
    if (end < i + 2) {
      result.push(text, i, i + 1);
      ++i;
      continue;
    }
    result.push(U' ');
    for (; i < end; ++i) result.push(one_of_many_stops, text.origin(i));
    if (end < text.size()) result.push(U' ');
  }
  return result;
}

// Commas stay between numbers. A character that one replacement has taken is not looked at by the
// next, so there are two rounds.
TracedText with_separate_commas(const TracedText& text) {
  TracedText once, twice;
  for (size_t i = 0; i < text.size(); ++i) {
    once.push(text, i, i + 1);
    if (i + 1 < text.size() && text[i + 1] == U',' && !is_number(text[i]))
      push_apart(once, text, ++i);
  }
  for (size_t i = 0; i < once.size(); ++i) {
    const bool before_no_number = once[i] == U',' && i + 1 < once.size() && !is_number(once[i + 1]);
    const bool at_end = once[i] == U',' && i + 1 == once.size() && i > 0 && is_number(once[i - 1]);
    if (!before_no_number && !at_end) {
      twice.push(once, i, i + 1);
      continue;
    }
    push_apart(twice, once, i);
    if (before_no_number) {
      ++i;
      twice.push(once, i, i + 1);
    }
  }
  return twice;
}

// What is put around an apostrophe whose neighbours are of certain kinds.
struct Apostrophe {
  bool space_before = true, space_after = true;
};

// Each apostrophe with a character on both sides, of which a replacement takes all three.
template <typename Rule>
TracedText with_apostrophes(const TracedText& text, const Rule& rule) {
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    result.push(text, i, i + 1);
    const bool inside = i + 2 < text.size() && text[i + 1] == U'\'';
    const std::optional<Apostrophe> found =
        inside ? rule(text[i], text[i + 2]) : std::optional<Apostrophe>();
    if (!found) {
      ++i;
      continue;
    }
    if (found->space_before) result.push(U' ');
    result.push(text, i + 1, i + 2);
    if (found->space_after) result.push(U' ');
    result.push(text, i + 2, i + 3);
    i += 3;
  }
  return result;
}

std::vector<TracedText> split_at_blanks(const TracedText& text) {
  std::vector<TracedText> words;
  for (size_t i = 0; i < text.size();) {
    const size_t end = std::min(text.characters().find(U' ', i), text.size());
    if (end > i) words.push_back(text.part(i, end));
    i = end + 1;
  }
  return words;
}

// A closing quote after the last full stop.
void separate_last_quote(std::vector<TracedText>& words) {
  if (words.empty() || !words.back().characters().ends_with(U".'")) return;
  const TracedText last = std::exchange(words.back(), {});
  words.pop_back();
  const size_t stop = last.size() - 2;
  if (stop > 0) words.push_back(last.part(0, stop));
  words.push_back(last.part(stop, stop + 1));
  words.push_back(last.part(stop + 1, stop + 2));
}

std::u32string_view escaped(char32_t character) {
  switch (character) {
    case U'&':
      return U"&amp;";
    case U'|':
      return U"&#124;";
    case U'<':
      return U"&lt;";
    case U'>':
      return U"&gt;";
    case U'\'':
      return U"&apos;";
    case U'"':
      return U"&quot;";
    case U'[':
      return U"&#91;";
    case U']':
      return U"&#93;";
    case one_of_many_stops:
      return U".";
    default:
      return {};
  }
}

TracedText with_escapes(const TracedText& word) {
  TracedText result;
  for (size_t i = 0; i < word.size(); ++i) {
    const std::u32string_view instead = escaped(word[i]);
    if (instead.empty())
      result.push(word, i, i + 1);
    else
      result.push(instead, word.origin(i));
  }
  return result;
}

}  // namespace

Tokeniser::Tokeniser(std::string language, const std::vector<std::string>& prefixes)
    : language_(std::move(language)) {
  for (const std::string& prefix : prefixes) {
    std::u32string word = characters_of(prefix);
    const size_t note = word.find(U" #NUMERIC_ONLY#");
    if (note == word.npos)
      prefixes_.insert(std::move(word));
    else
      prefixes_of_numbers_.insert(word.substr(0, note));
  }
}

bool Tokeniser::is_letter(char32_t character) const {
  return moses::is_letter(character) || is_joining_sign(character) ||
         is_letter_of(language_, character);
}

bool Tokeniser::is_alphanumeric(char32_t character) const {
  return is_letter(character) || is_digit(character);
}

TracedText Tokeniser::with_separate_marks(const TracedText& text) const {
  constexpr std::u32string_view kept = U" .'`,-";
  TracedText result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_alphanumeric(text[i]) || kept.find(text[i]) != kept.npos)
      result.push(text, i, i + 1);
    else
      push_apart(result, text, i);
  }
  return result;
}

TracedText Tokeniser::with_separate_apostrophes(TracedText text) const {
  const bool english = language_ == "en", romance = language_ == "fr" || language_ == "it";
  if (!english && !romance) {
    TracedText result;
    for (size_t i = 0; i < text.size(); ++i)
      if (text[i] == U'\'')
        push_apart(result, text, i);
      else
        result.push(text, i, i + 1);
    return result;
  }
  using Found = std::optional<Apostrophe>;
  const auto letter = [&](char32_t c) { return moses::is_letter(c) || is_joining_sign(c); };
  // In English, what follows a letter stays with its apostrophe: "it 's"; in French and Italian,
  // what precedes one: "l' eau". One round for each pair of neighbours, in this order.
  const auto round = [&](const auto& rule) { text = with_apostrophes(text, rule); };
  round([&](char32_t before, char32_t after) {
    return !letter(before) && !letter(after) ? Found(Apostrophe()) : Found();
  });
  round([&](char32_t before, char32_t after) {
    const bool number = english && is_number(before);
    return !letter(before) && !number && letter(after) ? Found(Apostrophe()) : Found();
  });
  round([&](char32_t before, char32_t after) {
    return letter(before) && !letter(after) ? Found(Apostrophe()) : Found();
  });
  round([&](char32_t before, char32_t after) {
    const Apostrophe with_one_space = {.space_before = english, .space_after = !english};
    return letter(before) && letter(after) ? Found(with_one_space) : Found();
  });
  if (english)
    round([&](char32_t before, char32_t after) {
      return is_number(before) && after == U's' ? Found(Apostrophe{.space_after = false}) : Found();
    });
  return text;
}

// Of a word that ends with a full stop.
bool Tokeniser::keeps_stop(const std::vector<TracedText>& words, size_t at) const {
  const TracedText& word = words[at];
  const std::u32string prefix = word.characters().substr(0, word.size() - 1);
  const bool has_stop = prefix.find(U'.') != prefix.npos;
  if (has_stop && std::ranges::any_of(prefix, [&](char32_t c) { return is_letter(c); }))
    return true;
  const bool is_before_numbers = prefixes_of_numbers_.contains(prefix);
  if (prefixes_.contains(prefix) && !is_before_numbers) return true;
  if (at + 1 == words.size()) return false;
  const char32_t next = words[at + 1][0];
  return is_lowercase(next) || (is_before_numbers && next >= U'0' && next <= U'9');
}

std::vector<TracedText> Tokeniser::with_separate_stops(const TracedText& text) const {
  const std::vector<TracedText> words = split_at_blanks(text);
  std::vector<TracedText> result;
  for (size_t i = 0; i < words.size(); ++i) {
    const size_t size = words[i].size();
    if (size < 2 || words[i][size - 1] != U'.' || keeps_stop(words, i)) {
      result.push_back(words[i]);
      continue;
    }
    result.push_back(words[i].part(0, size - 1));
    result.push_back(words[i].part(size - 1, size));
  }
  return result;
}

std::vector<TracedText> Tokeniser::words(TracedText text) const {
  text = with_separate_marks(without_control_characters(text).stripped());
  text = with_separate_commas(with_marked_stops(text));
  std::vector<TracedText> words = with_separate_stops(with_separate_apostrophes(std::move(text)));
  separate_last_quote(words);
  for (TracedText& word : words) word = with_escapes(word);
  return words;
}

}  // namespace heed::moses
