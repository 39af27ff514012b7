// Reads tokenizer.json, the file in which Hugging Face keeps a tokenizer, where its model is
// WordPiece: BERT's and its descendants'.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/bert_normaliser.h"

namespace heed {

// A token of the file's "added_tokens".
struct WordPieceToken {
  std::string text;
  int32_t id = 0;
  bool whole_word = false;
  bool takes_spaces_before = false;
  bool takes_spaces_after = false;
  bool normalised = false;  // found in the normalised text, as its own text normalised
};

struct WordPieceTokenizer {
  std::vector<std::string> pieces;  // by id; with the added tokens
  std::string prefix;               // of pieces that continue a word: "##"
  int32_t unknown = 0;
  int64_t longest_word = 100;  // in characters; longer ones are unknown
  BertNormaliser normaliser;
  std::vector<WordPieceToken> added;
  std::vector<int32_t> before, after;  // what a text is put between: [CLS] and [SEP]
};

// An Error begins with `name` and says what is missing, damaged or of a kind that heed cannot
// honour. Settings that concern no text by itself, such as padding on the right, and the length at
// which texts are cut, which is the model's here, are ignored.
WordPieceTokenizer parse_word_piece_json(std::string_view json, const std::string& name);

}  // namespace heed
