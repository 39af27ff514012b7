// What a serialized SentencePiece model holds, as far as SentencePiece's own interface does not tell.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace heed {

// How text is cut into pieces.
enum class VocabularyKind { unigram, bpe, characters, words };

enum class PieceType { normal = 1, unknown, control, user_defined, unused, byte };

struct ModelPiece {
  std::string_view text;
  float score = 0;
  PieceType type = PieceType::normal;
  uint8_t byte = 0;  // what a piece of the type byte, such as "<0xE2>", stands for
};

struct SentencePieceModel {
  VocabularyKind kind = VocabularyKind::unigram;
  std::vector<ModelPiece> pieces;  // views into the bytes that were parsed
};

// An Error that begins with `name` if the bytes are not those of a model.
SentencePieceModel parse_sentencepiece_model(std::string_view bytes, std::string_view name);

}  // namespace heed
