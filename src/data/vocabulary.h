// Text to ids and back, with a SentencePiece model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

namespace heed {

// The ids are those of MarianMT model folders: 0 ends a sentence, 1 stands for what is unknown,
// then come the pieces in the order of the model, and the last id is padding, which is also what a
// decoder starts with. Models of others number these differently; their pieces are given ids in
// this order. Cheap to copy; may be used by any number of threads at once.
class Vocabulary {
 public:
  static constexpr int32_t end = 0;
  static constexpr int32_t unknown = 1;

  // An Error that names the file if it is not a SentencePiece model.
  static Vocabulary load(const std::filesystem::path& path);
  static Vocabulary from_bytes(std::string bytes, std::string_view name = "vocabulary");

  int32_t size() const;
  int32_t start() const { return size() - 1; }

  // Without the id that ends a sentence. Never fails: what is not UTF-8 becomes U+FFFD. A word of
  // more than 8,192 bytes is encoded as if there were a space after each so many.
  std::vector<int32_t> encode(std::string_view text) const;

  // The parts of the text that become unknown, in its order, and so would not come back from
  // decode().
  std::vector<std::string> unknown_parts(std::string_view text) const;

  // Cut into pieces at random, a function of the key only. Unigram models: smaller `alpha`, more
  // variety (1: as the model believes, 0: all equal). BPE models: the share of merges to leave out.
  // Models of characters or words, and those with pieces that a user has defined, have one encoding
  // only.
  std::vector<int32_t> sample(std::string_view text, double alpha, RandomKey key) const;

  // The text of the ids up to the first that ends the sentence; unknown and padding are left out.
  std::string decode(std::span<const int32_t> ids) const;

  std::string piece(int32_t id) const;
  bool starts_word(int32_t id) const;  // its piece begins with a space

  // The serialized model, to be saved as *.spm.
  const std::string& bytes() const;

 private:
  struct Model;
  explicit Vocabulary(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace heed
