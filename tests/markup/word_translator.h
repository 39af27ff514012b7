// A translator whose words and links are known: it writes every word in capitals, in an order of
// its own.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heed/markup/document.h"

namespace heed::testing {

enum class WordOrder {
  same,
  reversed,  // a full stop stays at the end
  last_to_front,
  swapped_pairs,
  doubled,  // every word twice: one source word, two target words
  dropped,  // every second word has no translation
};

inline bool is_mark(char c) {
  return std::string_view(".,;:!?()\"").find(c) != std::string_view::npos;
}

// Words and punctuation marks, each with its place.
inline std::vector<TextRange> words_and_marks(std::string_view text) {
  std::vector<TextRange> found;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') continue;
    const bool goes_on = !found.empty() && found.back().end == at && !is_mark(text[at]) &&
                         !is_mark(text[found.back().begin]);
    if (goes_on)
      found.back().end = at + 1;
    else
      found.push_back({at, at + 1});
  }
  return found;
}

inline std::string in_capitals(std::string_view word) {
  std::string text(word);
  // Placeholders and addresses are copied, as models often do.
  if (text.find_first_of("{}%@/") != text.npos) return text;
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
  return text;
}

// The source words in the order of the translation.
inline std::vector<size_t> reordered(size_t words, bool ends_with_mark, WordOrder order) {
  std::vector<size_t> places(words);
  for (size_t i = 0; i < words; ++i) places[i] = i;
  const auto begin = places.begin();
  const auto end = places.end() - (ends_with_mark && words > 0 ? 1 : 0);
  const auto count = static_cast<size_t>(end - begin);
  switch (order) {
    case WordOrder::same:
      break;
    case WordOrder::reversed:
      std::reverse(begin, end);
      break;
    case WordOrder::last_to_front:
      if (count > 1) std::rotate(begin, end - 1, end);
      break;
    case WordOrder::swapped_pairs:
      for (size_t i = 0; i + 1 < count; i += 2) std::swap(places[i], places[i + 1]);
      break;
    case WordOrder::doubled: {
      std::vector<size_t> twice;
      for (const size_t place : places) twice.insert(twice.end(), 2, place);
      return twice;
    }
    case WordOrder::dropped: {
      std::vector<size_t> half;
      for (size_t i = 0; i < words; i += 2) half.push_back(i);
      return half;
    }
  }
  return places;
}

inline TranslatedSentence translate_words(std::string_view text, WordOrder order) {
  const std::vector<TextRange> words = words_and_marks(text);
  TranslatedSentence translation;
  const bool ends_with_mark = !words.empty() && is_mark(text[words.back().begin]);
  for (const size_t i : reordered(words.size(), ends_with_mark, order)) {
    const TextRange source = words[i];
    const std::string word = in_capitals(text.substr(source.begin, source.size()));
    const bool is_closing = is_mark(word[0]) && word[0] != '(' && word[0] != '"';
    const bool after_opening = translation.text.ends_with('(');
    if (!translation.text.empty() && !is_closing && !after_opening) translation.text += ' ';
    const size_t begin = translation.text.size();
    translation.text += word;
    translation.links.of_target.push_back({source, {begin, translation.text.size()}});
  }
  for (const TextRange source : words) {
    const auto link = std::ranges::find(translation.links.of_target, source, &TextLink::source);
    if (link != translation.links.of_target.end()) translation.links.of_source.push_back(*link);
  }
  return translation;
}

using SentenceTranslator = std::function<TranslatedSentence(const std::string&)>;

inline FinishedDocument translate_document(Document document, const SentenceTranslator& translate) {
  while (!document.pending().empty()) {
    std::vector<TranslatedSentence> translations;
    for (const PendingSentence& sentence : document.pending()) {
      translations.push_back(translate(sentence.text));
      if (!sentence.needs_links) translations.back().links = {};
    }
    document.take(translations);
  }
  return document.finish();
}

inline std::string translate_html(std::string_view html, WordOrder order,
                                  DocumentOptions options = {.kind = MarkupKind::html,
                                                             .language = "en"}) {
  return translate_document(Document(std::string(html), options),
                            [&](const std::string& text) { return translate_words(text, order); })
      .text;
}

}  // namespace heed::testing
