// Text to ids and back, with a SentencePiece model or with Moses's words and byte-pair encoding.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/text_link.h"

namespace heed {

// The ids are those of MarianMT model folders: 0 ends a sentence, 1 is unknown, then come the
// pieces in the order of the model, and the last id is padding, which also starts a decoder. Models
// from other tools number these differently; their pieces are renumbered in this order. Networks
// that share one list of tokens between two SentencePiece models have a vocabulary with tokens (see
// with_tokens), and those that were trained on what Moses's tokeniser makes of text have one of
// moses_vocabulary.h. Cheap to copy; thread-safe.
class Vocabulary {
 public:
  static constexpr int32_t end = 0;
  static constexpr int32_t unknown = 1;
  // The id that starts a decoder, in a vocabulary of this size: the last one.
  static constexpr int32_t start_of(int64_t size) { return static_cast<int32_t>(size - 1); }

  // An Error that names the file if it is not a SentencePiece model.
  static Vocabulary load(const std::filesystem::path& path);
  static Vocabulary from_bytes(std::string bytes, std::string_view name = "vocabulary");

  // The same pieces for text, but the ids of these tokens, as MarianMT has it: a piece that is none
  // of them is unknown, and tokens need not be pieces. A code such as ">>fra<<" at the start of a
  // text is one token. The first are </s> and <unk>, the last is <pad>.
  Vocabulary with_tokens(std::span<const std::string> tokens,
                         std::string_view name = "vocabulary") const;
  bool has_tokens() const;

  int32_t size() const;
  int32_t start() const { return start_of(size()); }

  // Without the end-of-sentence id. Never fails: bytes that are not UTF-8 become U+FFFD. A word of
  // more than 8,192 bytes is encoded as if it had a space after every 8,192.
  std::vector<int32_t> encode(std::string_view text) const;

  // The bytes of the text that each id of encode() stands for, without the space around them; of
  // no bytes for an id that is nothing but space. Nothing at all where the ids cannot be traced
  // back.
  std::vector<TextRange> encoded_ranges(std::string_view text) const;

  // The parts of the text that become unknown, in order, and so would be lost in decode().
  std::vector<std::string> unknown_parts(std::string_view text) const;

  // Random segmentation, which depends only on the key. Unigram models: a smaller `alpha` gives
  // more variety (1: the model's probabilities, 0: uniform). BPE models: the share of merges to
  // drop, also after Moses's tokeniser. Models of characters or words, and those with user-defined
  // pieces, have only one segmentation.
  std::vector<int32_t> sample(std::string_view text, double alpha, RandomKey key) const;

  // The text of the ids up to the first end of sentence; unknown and padding are left out.
  std::string decode(std::span<const int32_t> ids) const;

  // The bytes of decode() that each id became, without the space around them.
  std::vector<TextRange> decoded_ranges(std::span<const int32_t> ids) const;

  std::string piece(int32_t id) const;
  // Which of the ids begin a word, that is, come after a space.
  std::vector<bool> word_starts(std::span<const int32_t> ids) const;
  // Whether whatever comes next belongs to the same word: "un@@".
  bool goes_on(int32_t id) const;
  bool is_for_moses() const;

  // The id that the SentencePiece model itself has for it, and with it the tool that the model
  // comes from; of the start token, that of "<s>" if there is one.
  int32_t model_id(int32_t id) const;

  // The serialised model, to be saved as *.spm. It holds the tokens, if it has any, and all that
  // Moses's words need.
  const std::string& bytes() const;
  // As other tools have it, without these.
  std::string_view plain_bytes() const;

  bool same_ids(const Vocabulary& other) const;  // each id has the same piece

 private:
  struct Model;
  explicit Vocabulary(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  std::shared_ptr<const Model> model_;
};

}  // namespace heed
