#include "heed/runs/viewed_tokens.h"

#include <utility>

#include "heed/base/characters.h"
#include "heed/decoding/word_alignment.h"

namespace heed {

namespace {

bool is_space_mark(std::string_view piece) { return piece == "\xE2\x96\x81"; }

// Whether a piece is a word of its own after `previous`, though no space stands between them.
bool divides(const std::string& previous, const std::string& piece) {
  if (is_space_mark(previous)) return false;
  const std::u32string before = characters_of(previous), after = characters_of(piece);
  return (!before.empty() && is_written_without_spaces(before.back())) ||
         (!after.empty() && is_written_without_spaces(after.front()));
}

// See ViewedTokens.
std::vector<int64_t> viewed_words(const std::vector<std::string>& pieces,
                                  const std::vector<int64_t>& between_spaces) {
  std::vector<int64_t> words;
  int64_t divided = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const int64_t word = between_spaces[i];
    if (word >= 0 && i > 0 && between_spaces[i - 1] == word && divides(pieces[i - 1], pieces[i]))
      ++divided;
    words.push_back(word < 0 ? word : word + divided);
  }
  return words;
}

}  // namespace

ViewedTokens viewed_tokens(std::string text, std::span<const int32_t> ids,
                           const Vocabulary& vocabulary, size_t tag_tokens) {
  ViewedTokens tokens{.text = std::move(text), .pieces = {}, .words = {}};
  for (const int32_t id : ids) tokens.pieces.push_back(vocabulary.piece(id));
  tokens.words = viewed_words(tokens.pieces, words_of(ids, vocabulary, tag_tokens));
  return tokens;
}

ViewedTokens viewed_tokens(std::string text, std::span<const int32_t> ids,
                           const WordPieces& pieces) {
  ViewedTokens tokens{
      .text = std::move(text), .pieces = {}, .words = {}, .continuation = pieces.continuation()};
  int64_t word = -1;
  for (const int32_t id : ids) {
    tokens.pieces.push_back(pieces.piece(id));
    if (!pieces.frames(id) && (word < 0 || !pieces.continues_word(id))) ++word;
    tokens.words.push_back(pieces.frames(id) ? -1 : word);
  }
  return tokens;
}

}  // namespace heed
