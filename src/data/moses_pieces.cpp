#include "heed/data/moses_pieces.h"

#include <algorithm>

#include "heed/base/characters.h"
#include "heed/data/moses_detokeniser.h"
#include "heed/data/moses_normaliser.h"
#include "heed/data/traced_text.h"

namespace heed {

namespace {

// With spaces in words that are too long.
TracedText with_short_words(std::string_view text) {
  TracedText whole(text);
  if (text.size() <= MosesPieces::longest_word) return whole;
  TracedText result;
  size_t begin = 0;  // of the word
  for (size_t i = 0; i < whole.size(); ++i) {
    const TextRange own = whole.origin(i);
    if (is_space(whole[i])) begin = own.end;
    if (own.end - begin > MosesPieces::longest_word) {
      result.push(U' ');
      begin = own.begin;
    }
    result.push(whole, i, i + 1);
  }
  return result;
}

}  // namespace

MosesPieces::MosesPieces(const MosesSettings& settings, std::string_view name)
    : language_(settings.language),
      tokeniser_(settings.language, settings.prefixes),
      merges_(BpeMerges::parse(settings.merges, name)) {}

template <typename Split>
std::vector<MosesPieces::Piece> MosesPieces::pieces_of(std::string_view text,
                                                       const Split& split_word) const {
  std::vector<Piece> pieces;
  for (const TracedText& word :
       tokeniser_.words(moses::normalised(with_short_words(text), language_))) {
    size_t begin = 0;
    for (const size_t end : split_word(word.characters())) {
      std::string piece =
          text_of(std::u32string_view(word.characters()).substr(begin, end - begin));
      if (end < word.size()) piece += word_goes_on;
      pieces.push_back({std::move(piece), word.origin(begin, end)});
      begin = end;
    }
  }
  return pieces;
}

std::vector<MosesPieces::Piece> MosesPieces::split(std::string_view text) const {
  return pieces_of(text, [&](std::u32string_view word) { return merges_.split(word); });
}

std::vector<MosesPieces::Piece> MosesPieces::sample(std::string_view text, double dropout,
                                                    RandomKey key) const {
  Rng rng(key);
  return pieces_of(text,
                   [&](std::u32string_view word) { return merges_.sample(word, dropout, rng); });
}

MosesPieces::Joined MosesPieces::join(std::span<const std::string> pieces) const {
  TracedText words;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) words.push(U' ');
    words.push(characters_of(pieces[i]), {i, i + 1});  // the piece rather than bytes
  }
  words.replace(U"@@ ", U"");
  const TracedText text = moses::detokenised(words, language_);
  Joined joined = {.text = {}, .ranges = std::vector<TextRange>(pieces.size())};
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t begin = joined.text.size();
    joined.text += text_of(std::u32string_view(text.characters()).substr(i, 1));
    const TextRange origin = text.origin(i);
    for (size_t piece = origin.begin; piece < origin.end; ++piece) {
      TextRange& range = joined.ranges[piece];
      if (range.size() == 0) range.begin = begin;
      range.end = joined.text.size();
    }
  }
  return joined;
}

}  // namespace heed
