// Text to ids with WordPiece, the vocabulary of BERT: words are split into the longest pieces that
// are known, from left to right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

namespace heed {

// The ids are those of its tokenizer.json, and so is what becomes of a text. Cheap to copy;
// thread-safe.
class WordPieces {
 public:
  // An Error names the file and what cannot be read or honoured (see word_piece_json.h).
  static WordPieces load(const std::filesystem::path& path);
  static WordPieces from_json(std::string json, const std::string& name = "tokenizer.json");

  int32_t size() const;

  // With the tokens that frame every text, such as [CLS] and [SEP]. Never fails: bytes that are not
  // UTF-8 count as U+FFFD.
  std::vector<int32_t> encode(std::string_view text) const;
  // The same in at most `most` ids: the text loses its end, the frame stays if there is room.
  struct Cut {
    std::vector<int32_t> ids;
    bool cut = false;
  };
  Cut encode(std::string_view text, int64_t most) const;

  // A random split of the words, which depends only on the key: wherever a shorter piece is known,
  // too, the longer one is passed over with this probability (Hiraoka, 2022: MaxMatch-Dropout).
  struct Sampling {
    double dropout = 0;
    RandomKey key = {};
  };
  Cut sample(std::string_view text, int64_t most, const Sampling& sampling) const;

  // The two halves of the first: the text's own ids, and the frame around them.
  std::vector<int32_t> encode_unframed(std::string_view text) const;
  std::vector<int32_t> sample_unframed(std::string_view text, const Sampling& sampling) const;
  std::vector<int32_t> framed(std::span<const int32_t> ids) const;

  const std::string& piece(int32_t id) const;
  std::optional<int32_t> find(std::string_view piece) const;
  int32_t unknown() const;
  bool continues_word(int32_t id) const;        // "##ing"
  const std::string& continuation() const;      // what such a piece begins with: "##"
  std::string_view spelling(int32_t id) const;  // "ing" of "##ing", otherwise the piece
  // Whether an id is one of the frame, and no part of the text.
  bool frames(int32_t id) const;

  // The tokenizer.json that it was read from.
  const std::string& json() const;

 private:
  struct Model;
  Cut framed_and_cut(std::span<const int32_t> own, int64_t most) const;
  explicit WordPieces(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace heed
