#include "heed/data/word_vocabulary.h"

#include <cstdint>
#include <cstring>
#include <set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/sentencepiece_model.h"
#include "heed/data/tag_name.h"

namespace heed {

namespace {

// A message in the wire format of protocol buffers.
class Message {
 public:
  Message& number(uint32_t tag, uint64_t value) {
    varint(tag << 3);
    varint(value);
    return *this;
  }
  Message& text(uint32_t tag, std::string_view text) {
    varint(tag << 3 | 2);
    varint(text.size());
    bytes_ += text;
    return *this;
  }
  Message& real(uint32_t tag, float value) {
    varint(tag << 3 | 5);
    char bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    bytes_.append(bytes, sizeof(bytes));
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

std::string piece(std::string_view text, float score, PieceType type) {
  return Message().text(1, text).real(2, score).number(3, static_cast<uint64_t>(type)).bytes();
}

constexpr uint64_t word_model = 3;
constexpr std::string_view space_mark = "▁";

}  // namespace

bool is_word_vocabulary(const Vocabulary& vocabulary) {
  if (vocabulary.has_tokens() || vocabulary.is_for_moses()) return false;
  const SentencePieceModel model = parse_sentencepiece_model(vocabulary.bytes(), "vocabulary");
  if (model.kind != VocabularyKind::words || !model.normalisation.keeps_characters) return false;
  for (int32_t id = Vocabulary::unknown + 1; id < vocabulary.start(); ++id)
    if (!vocabulary.piece(id).starts_with("▁") && !tag_of_token(vocabulary.piece(id))) return false;
  return true;
}

std::string piece_of_word(std::string_view word) {
  return std::string(space_mark) + std::string(word);
}

std::string word_of_piece(std::string_view piece) {
  return std::string(piece.starts_with(space_mark) ? piece.substr(space_mark.size()) : piece);
}

std::string with_separate_line_breaks(std::string_view text) {
  std::string separate;
  for (const char byte : text) {
    if (byte == '\n')
      separate += " \n ";
    else
      separate += byte;
  }
  return separate;
}

Vocabulary with_more_pieces(const Vocabulary& vocabulary, std::span<const std::string> pieces,
                            std::string_view name) {
  if (pieces.empty()) return vocabulary;
  Message more;
  for (const std::string& text : pieces) {
    require(!text.empty() && is_utf8(text), "{}: {} is not a piece: it is empty or not UTF-8", name,
            quote(text));
    more.text(1, piece(text, 0, PieceType::unused));
  }
  // Messages that are joined are one message with the lists of both.
  return Vocabulary::from_bytes(vocabulary.bytes() + more.bytes(), name);
}

Vocabulary word_vocabulary(std::span<const std::string> words, std::string_view name) {
  Message model;
  model.text(1, piece("<unk>", 0, PieceType::unknown));
  model.text(1, piece("<s>", 0, PieceType::control));
  model.text(1, piece("</s>", 0, PieceType::control));
  std::set<std::string_view> seen;
  for (const std::string& word : words) {
    require(seen.insert(word).second, "{}: the word {} occurs twice", name, quote(word));
    require(!word.empty() && is_utf8(word) && word.find_first_of(" \t\n\r") == std::string::npos,
            "{}: {} is not a word: it is empty, has spaces or is not UTF-8", name, quote(word));
    model.text(1, piece(piece_of_word(word), -static_cast<float>(seen.size()), PieceType::normal));
  }
  model.text(2, Message().number(3, word_model).number(4, words.size() + 3).bytes());
  model.text(3, Message().text(1, "identity").number(3, 1).number(4, 1).number(5, 1).bytes());
  return Vocabulary::from_bytes(model.bytes(), name);
}

}  // namespace heed
