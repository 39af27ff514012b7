#include "heed/data/moses_detokeniser.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "heed/base/characters.h"
#include "heed/data/moses_characters.h"

namespace heed::moses {

namespace {

using Word = std::u32string_view;

struct Escape {
  std::u32string_view written;
  char32_t meant;
};

constexpr Escape escapes[] = {{U"&bar;", U'|'},  {U"&#124;", U'|'},  {U"&lt;", U'<'},
                              {U"&gt;", U'>'},   {U"&bra;", U'['},   {U"&ket;", U']'},
                              {U"&quot;", U'"'}, {U"&apos;", U'\''}, {U"&#91;", U'['},
                              {U"&#93;", U']'},  {U"&amp;", U'&'}};

TracedText without_escapes(const TracedText& text) {
  TracedText result;
  for (size_t i = 0; i < text.size();) {
    const std::u32string_view rest = std::u32string_view(text.characters()).substr(i);
    const auto* const found = std::ranges::find_if(
        escapes, [&](const Escape& escape) { return rest.starts_with(escape.written); });
    if (found == std::end(escapes)) {
      result.push(text, i, i + 1);
      ++i;
      continue;
    }
    result.push(found->meant, text.origin(i, i + found->written.size()));
    i += found->written.size();
  }
  return result;
}

struct Place {
  size_t begin, end;
};

std::vector<Place> words_of(const TracedText& text) {
  std::vector<Place> words;
  for (size_t i = 0; i < text.size(); ++i) {
    if (heed::is_space(text[i])) continue;
    if (i == 0 || heed::is_space(text[i - 1])) words.push_back({i, i});
    words.back().end = i + 1;
  }
  return words;
}

bool consists_of(Word word, std::u32string_view characters) {
  return word.find_first_not_of(characters) == word.npos;
}

bool opens(Word word) {
  constexpr std::u32string_view brackets = U"([{¿¡";
  return std::ranges::all_of(
      word, [&](char32_t c) { return is_currency(c) || brackets.find(c) != brackets.npos; });
}

bool is_ascii_number(Word word) { return consists_of(word, U"0123456789"); }

// Puts a text together word by word.
class Joiner {
 public:
  Joiner(const TracedText& text, std::string_view language)
      : text_(text), language_(language), words_(words_of(text)) {}

  TracedText run() {
    for (size_t i = 0; i < words_.size(); ++i) add(i);
    result_.join_blanks();
    return result_.stripped();
  }

 private:
  Word word(size_t i) const {
    return Word(text_.characters()).substr(words_[i].begin, words_[i].end - words_[i].begin);
  }

  // With a space before it, unless what came before has none after it.
  void add_apart(size_t i) {
    if (space_follows_) result_.push(U' ');
    add_close(i);
  }
  void add_close(size_t i) {
    result_.push(text_, words_[i].begin, words_[i].end);
    space_follows_ = true;
  }
  void add_before_next(size_t i) {
    add_apart(i);
    space_follows_ = false;
  }

  void add(size_t i) {
    const Word own = word(i);
    if (is_cjk(own.front()) && language_ != "ko") {
      const bool goes_on = i > 0 && is_cjk(word(i - 1).back());
      if (goes_on)
        add_close(i);
      else
        add_apart(i);
    } else if (opens(own) || is_elision(i)) {
      add_before_next(i);
    } else if (consists_of(own, U",.?!:;\\%}])")) {
      if (language_ == "fr" && own.size() == 1 && consists_of(own, U"?!:;\\%")) result_.push(U' ');
      add_close(i);
    } else if (is_english_ending(i) || is_czech_decimal(i)) {
      add_close(i);
    } else if (consists_of(own, U"'\"„“`")) {
      add_quote(i);
    } else {
      add_apart(i);
    }
  }

  // "it" and "'s".
  bool is_english_ending(size_t i) const {
    const Word own = word(i);
    return language_ == "en" && i > 0 && own.size() > 1 && own[0] == U'\'' && is_letter(own[1]);
  }

  bool is_czech_decimal(size_t i) const {
    return language_ == "cs" && i > 1 && is_ascii_number(word(i)) && is_ascii_number(word(i - 2)) &&
           (word(i - 1) == U"." || word(i - 1) == U",");
  }

  // "l'" and "eau".
  bool is_elision(size_t i) const {
    const Word own = word(i);
    const bool elides = language_ == "fr" || language_ == "it" || language_ == "ga";
    return elides && i + 1 < words_.size() && own.size() > 1 && own.back() == U'\'' &&
           is_letter(own[own.size() - 2]) && is_letter(word(i + 1).front());
  }

  // The first of a kind opens, the next closes.
  void add_quote(size_t i) {
    const Word own = word(i);
    const std::u32string kind = consists_of(own, U"„“”") ? U"\"" : std::u32string(own);
    bool& is_open = open_quotes_[kind];
    if (language_ == "cs" && own == U"„") is_open = false;
    if (language_ == "cs" && own == U"“") is_open = true;
    const bool is_possessive =
        !is_open && language_ == "en" && own == U"'" && i > 0 && word(i - 1).back() == U's';
    if (is_possessive) return add_close(i);
    if (is_open)
      add_close(i);
    else
      add_before_next(i);
    is_open = !is_open;
  }

  const TracedText& text_;
  std::string_view language_;
  std::vector<Place> words_;
  TracedText result_;
  bool space_follows_ = true;
  std::map<std::u32string, bool> open_quotes_;
};

}  // namespace

TracedText detokenised(const TracedText& words, std::string_view language) {
  TracedText text;
  text.push(U' ');
  text.push(words, 0, words.size());
  text.push(U' ');
  text.replace(U" @-@ ", U"-");
  text = without_escapes(text);
  return Joiner(text, language).run();
}

}  // namespace heed::moses
