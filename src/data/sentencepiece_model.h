// The parts of a serialised SentencePiece model that its own interface does not expose.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/data/moses_settings.h"

namespace heed {

// How text is split into pieces.
enum class VocabularyKind { unigram, bpe, characters, words };

enum class PieceType { normal = 1, unknown, control, user_defined, unused, byte };

struct ModelPiece {
  std::string_view text;
  float score = 0;
  PieceType type = PieceType::normal;
  uint8_t byte = 0;  // what a piece of the type byte, such as "<0xE2>", stands for
};

// How text is normalised before it is split into pieces.
struct ModelNormalisation {
  bool keeps_characters = true;  // otherwise a table in the model replaces some by others
  bool adds_space_in_front = true;
  bool removes_extra_spaces = true;
  bool shows_spaces = true;           // as "▁"
  bool has_space_after_word = false;  // "word▁" rather than "▁word"
};

struct SentencePieceModel {
  VocabularyKind kind = VocabularyKind::unigram;
  ModelNormalisation normalisation;
  std::vector<ModelPiece> pieces;  // views into the bytes that were parsed
  // What heed may add: the tokens that a network knows, where these are not the pieces. The end,
  // the unknown word and the start have heed's places.
  std::vector<std::string_view> tokens;
  // Or how the text becomes words that are pieces.
  std::optional<MosesSettings> moses;
  size_t plain_bytes = 0;  // without what heed has added
};

// The model of these bytes, which have no tokens yet, with these, in a field of the range that the
// format leaves to others: other tools read the model as before.
std::string with_tokens(std::string_view bytes, std::span<const std::string> tokens);

// The same with the settings of text that is split as for Moses, for a model of words.
std::string with_moses(std::string_view bytes, const MosesSettings& settings);

// An Error that begins with `name` if the bytes are not a model.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, std::string_view name);

}  // namespace heed
