// Tokens as they are shown: with their pieces, and the words that the pieces make.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/data/word_pieces.h"

namespace heed {

// Tokens as the model sees them, special ones included.
struct ViewedTokens {
  std::string text;
  std::vector<std::string> pieces;
  // Of each piece, from 0 on; -1 for special ones. Words are what spaces separate; in scripts that
  // have none, such as Chinese, each piece is one. Those of WordPiece are BERT's, for which a
  // punctuation mark is a word, too.
  std::vector<int64_t> words;
  std::string continuation = {};  // what a piece begins with that continues a word, such as "##"

  bool has_no_words() const {
    return std::ranges::all_of(words, [](auto w) { return w < 0; });
  }
};

// The first tokens may be a tag in front of the text, which is no word of it.
ViewedTokens viewed_tokens(std::string text, std::span<const int32_t> ids,
                           const Vocabulary& vocabulary, size_t tag_tokens = 0);
ViewedTokens viewed_tokens(std::string text, std::span<const int32_t> ids,
                           const WordPieces& pieces);

}  // namespace heed
