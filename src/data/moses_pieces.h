// Text to pieces and back, as Argos Translate does it with a bpe.model: punctuation is normalised,
// Moses's tokeniser makes words, and byte-pair encoding splits them: "un@@ seen". Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"
#include "heed/base/text_link.h"
#include "heed/data/bpe_merges.h"
#include "heed/data/moses_settings.h"
#include "heed/data/moses_tokeniser.h"

namespace heed {

// What a piece ends with if its word goes on.
inline constexpr std::string_view word_goes_on = "@@";

class MosesPieces {
 public:
  // An Error that begins with `name` if the merges are none.
  MosesPieces(const MosesSettings& settings, std::string_view name);

  struct Piece {
    std::string text;
    TextRange range;  // bytes of the whole text
  };
  // Any bytes can be split: those that are not UTF-8 become U+FFFD. A word of more than
  // `longest_word` bytes is split as if it had a space after every so many.
  std::vector<Piece> split(std::string_view text) const;
  // Each merge is left out with this probability.
  std::vector<Piece> sample(std::string_view text, double dropout, RandomKey key) const;
  static constexpr size_t longest_word = 8192;

  struct Joined {
    std::string text;
    std::vector<TextRange> ranges;  // of each piece, bytes of the text
  };
  Joined join(std::span<const std::string> pieces) const;

 private:
  template <typename Split>
  std::vector<Piece> pieces_of(std::string_view text, const Split& split_word) const;

  std::string language_;
  moses::Tokeniser tokeniser_;
  BpeMerges merges_;
};

}  // namespace heed
