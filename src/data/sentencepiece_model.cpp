#include "heed/data/sentencepiece_model.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/character_table.h"

namespace heed {

namespace {

// One field of a protocol buffer message: a number, or the bytes of a string or a nested message.
struct Field {
  uint64_t tag = 0;
  uint64_t number = 0;
  std::string_view bytes;
};

// Walks the fields of a message in the wire format of protocol buffers.
class FieldReader {
 public:
  FieldReader(std::string_view message, std::string_view name) : rest_(message), name_(name) {}

  std::optional<Field> next() {
    if (rest_.empty()) return std::nullopt;
    const uint64_t key = take_number();
    Field field{.tag = key >> 3, .number = 0, .bytes = {}};
    switch (key & 7) {
      case 0:
        field.number = take_number();
        break;
      case 1:
        field.bytes = take_bytes(8);
        break;
      case 2:
        field.bytes = take_bytes(take_number());
        break;
      case 5:
        field.bytes = take_bytes(4);
        break;
      default:
        fail_to_parse();
    }
    return field;
  }

  size_t left() const { return rest_.size(); }

 private:
  // Seven bits per byte, lowest first; the top bit means that more follow.
  uint64_t take_number() {
    uint64_t number = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(take_bytes(1)[0]);
      number |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
    fail_to_parse();
  }

  std::string_view take_bytes(uint64_t size) {
    if (size > rest_.size()) fail_to_parse();
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }

  [[noreturn]] void fail_to_parse() const { fail("{}: is not a SentencePiece model", name_); }

  std::string_view rest_;
  std::string_view name_;
};

// The number in "<0xE2>".
std::optional<uint8_t> byte_in(std::string_view text) {
  uint8_t value = 0;
  if (text.size() != 6 || !text.starts_with("<0x") || !text.ends_with(">")) return std::nullopt;
  const char* digits_end = text.data() + 5;
  const auto [end, reason] = std::from_chars(text.data() + 3, digits_end, value, 16);
  return reason == std::errc() && end == digits_end ? std::optional(value) : std::nullopt;
}

ModelPiece parse_piece(std::string_view message, std::string_view name) {
  constexpr uint64_t text_tag = 1, score_tag = 2, type_tag = 3;
  ModelPiece piece;
  FieldReader fields(message, name);
  while (const std::optional<Field> field = fields.next()) {
    if (field->tag == text_tag) piece.text = field->bytes;
    if (field->tag == score_tag && field->bytes.size() == sizeof(float))
      std::memcpy(&piece.score, field->bytes.data(), sizeof(float));
    if (field->tag == type_tag && field->number >= 1 && field->number <= 6)
      piece.type = static_cast<PieceType>(field->number);
  }
  require(!piece.text.empty() && is_utf8(piece.text), "{}: a piece of the vocabulary is {}", name,
          piece.text.empty() ? "empty" : "not UTF-8");
  require(piece.text.find('\0') == piece.text.npos,
          "{}: a piece of the vocabulary holds a NUL character", name);
  require(std::isfinite(piece.score), "{}: the score of piece {} is not a number", name,
          quote(piece.text));
  if (piece.type != PieceType::byte) return piece;
  const std::optional<uint8_t> byte = byte_in(piece.text);
  require(byte.has_value(), "{}: piece {} does not name a byte, as \"<0xE2>\" does", name,
          quote(piece.text));
  piece.byte = *byte;
  return piece;
}

VocabularyKind kind_numbered(uint64_t number, std::string_view name) {
  switch (number) {
    case 1:
      return VocabularyKind::unigram;
    case 2:
      return VocabularyKind::bpe;
    case 3:
      return VocabularyKind::words;
    case 4:
      return VocabularyKind::characters;
    default:
      fail("{}: the SentencePiece model is of an unknown kind ({})", name, number);
  }
}

void parse_training(std::string_view message, std::string_view name, SentencePieceModel& model) {
  constexpr uint64_t kind_tag = 3, space_after_word_tag = 24;
  FieldReader fields(message, name);
  while (const std::optional<Field> field = fields.next()) {
    if (field->tag == kind_tag) model.kind = kind_numbered(field->number, name);
    if (field->tag == space_after_word_tag)
      model.normalisation.has_space_after_word = field->number != 0;
  }
}

void parse_normalisation(std::string_view message, std::string_view name,
                         ModelNormalisation& normalisation) {
  constexpr uint64_t table_tag = 2, space_in_front_tag = 3, extra_spaces_tag = 4,
                     shown_spaces_tag = 5;
  FieldReader fields(message, name);
  while (const std::optional<Field> field = fields.next()) {
    if (field->tag == table_tag) normalisation.keeps_characters = field->bytes.empty();
    if (field->tag == table_tag && !field->bytes.empty()) check_character_table(field->bytes, name);
    if (field->tag == space_in_front_tag) normalisation.adds_space_in_front = field->number != 0;
    if (field->tag == extra_spaces_tag) normalisation.removes_extra_spaces = field->number != 0;
    if (field->tag == shown_spaces_tag) normalisation.shows_spaces = field->number != 0;
  }
}

// From 200 on, fields are free for others.
constexpr uint64_t token_tag = 7120, moses_tag = 7121;
constexpr uint64_t language_tag = 1, prefix_tag = 2, merges_tag = 3;  // in the settings for Moses

void append_number(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

void append_text(std::string& to, uint64_t tag, std::string_view text) {
  append_number(to, tag << 3 | 2);
  append_number(to, text.size());
  to += text;
}

MosesSettings parse_moses(std::string_view message, std::string_view name) {
  MosesSettings settings;
  FieldReader fields(message, name);
  while (const std::optional<Field> field = fields.next()) {
    require(field->tag == merges_tag || is_utf8(field->bytes),
            "{}: the settings for Moses are not UTF-8", name);
    if (field->tag == language_tag) settings.language = field->bytes;
    if (field->tag == prefix_tag) settings.prefixes.emplace_back(field->bytes);
    if (field->tag == merges_tag) settings.merges = field->bytes;
  }
  return settings;
}

// The pieces are words, so that each is told from the others without its space.
void check_words(const SentencePieceModel& model, std::string_view name) {
  constexpr std::string_view space = "▁";
  require(model.kind == VocabularyKind::words,
          "{}: has settings for Moses, but its pieces are not words", name);
  for (const ModelPiece& piece : model.pieces) {
    if (piece.type == PieceType::control || piece.type == PieceType::unknown) continue;
    const bool is_word = piece.text.starts_with(space) && piece.text.size() > space.size();
    const std::string_view word = is_word ? piece.text.substr(space.size()) : std::string_view();
    require(is_word && word != "</s>" && word != "<unk>" && word != "<pad>",
            "{}: has settings for Moses, but its piece {} is not a word", name, Quoted{piece.text});
  }
}

void check_tokens(const SentencePieceModel& model, std::string_view name) {
  const std::vector<std::string_view>& tokens = model.tokens;
  if (tokens.empty()) return;
  require(
      tokens.size() >= 3 && tokens[0] == "</s>" && tokens[1] == "<unk>" && tokens.back() == "<pad>",
      "{}: the list of tokens does not begin with </s> and <unk> and end with <pad>", name);
  std::unordered_set<std::string_view> seen;
  for (const std::string_view token : tokens) {
    require(!token.empty() && is_utf8(token) && token.find('\0') == token.npos,
            "{}: {} in the list of tokens is not text", name, Quoted{token});
    require(seen.insert(token).second, "{}: the token {} occurs twice", name, Quoted{token});
  }
}

}  // namespace

std::string with_tokens(std::string_view bytes, std::span<const std::string> tokens) {
  std::string all(bytes);
  for (const std::string& token : tokens) append_text(all, token_tag, token);
  return all;
}

std::string with_moses(std::string_view bytes, const MosesSettings& settings) {
  std::string all(bytes), message;
  append_text(message, language_tag, settings.language);
  for (const std::string& prefix : settings.prefixes) append_text(message, prefix_tag, prefix);
  append_text(message, merges_tag, settings.merges);
  append_text(all, moses_tag, message);
  return all;
}

SentencePieceModel parse_sentencepiece_model(std::string_view bytes, std::string_view name) {
  constexpr uint64_t piece_tag = 1, training_tag = 2, normalisation_tag = 3,
                     denormalisation_tag = 5;
  SentencePieceModel model;
  FieldReader fields(bytes, name);
  while (const std::optional<Field> field = fields.next()) {
    if (field->tag == token_tag && !model.moses) {
      model.tokens.push_back(field->bytes);
      continue;
    }
    require(model.tokens.empty(), "{}: something follows the list of tokens", name);
    require(!model.moses, "{}: something follows the settings for Moses", name);
    if (field->tag == moses_tag) {
      model.moses = parse_moses(field->bytes, name);
      continue;
    }
    model.plain_bytes = bytes.size() - fields.left();
    if (field->tag == piece_tag) model.pieces.push_back(parse_piece(field->bytes, name));
    if (field->tag == training_tag) parse_training(field->bytes, name, model);
    if (field->tag == normalisation_tag)
      parse_normalisation(field->bytes, name, model.normalisation);
    // SentencePiece normalises decoded text by itself, but its table must be valid, too.
    ModelNormalisation denormalisation;
    if (field->tag == denormalisation_tag) parse_normalisation(field->bytes, name, denormalisation);
  }
  require(!model.pieces.empty(), "{}: is not a SentencePiece model, or one without pieces", name);
  check_tokens(model, name);
  if (model.moses) check_words(model, name);
  return model;
}

}  // namespace heed
