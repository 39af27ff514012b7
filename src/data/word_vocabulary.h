// A vocabulary from a list of words, for text whose tokens are separated by spaces.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heed/data/vocabulary.h"

namespace heed {

// The ids follow the order of the words, which must differ. They are written as pieces with a
// leading space mark, as in SentencePiece: "▁word".
Vocabulary word_vocabulary(std::span<const std::string> words,
                           std::string_view name = "vocabulary");

// The same vocabulary with more pieces after the others. Text is never split into them, but their
// ids can be decoded: what a model knows and its SentencePiece model does not.
Vocabulary with_more_pieces(const Vocabulary& vocabulary, std::span<const std::string> pieces,
                            std::string_view name = "vocabulary");

// Whether all pieces but the tokens of tags are words by themselves, in text that is left as it is.
bool is_word_vocabulary(const Vocabulary& vocabulary);

std::string piece_of_word(std::string_view word);
// The other way round; the token of a tag is a word without a mark.
std::string word_of_piece(std::string_view piece);

// The text with spaces around each line break, so that it is a word.
std::string with_separate_line_breaks(std::string_view text);

}  // namespace heed
