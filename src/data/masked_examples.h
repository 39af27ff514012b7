// Texts with missing words as examples of masked-language training.
#pragma once

#include "heed/data/example_maker.h"
#include "heed/data/word_pieces.h"

namespace heed {

struct MaskedExamplesConfig {
  int64_t context_length = 128;  // tokens of a window, its frame included
  double share = 0.15;           // of the tokens that are to be predicted; at least one of a window
  bool varies = true;            // other windows and other masks in each epoch
  double sampling = 0;           // dropout of word pieces
};

// A part of a document (see text_corpus.h) becomes windows that follow each other. Of the tokens to
// be predicted, as in the paper, 80 % are replaced by [MASK], 10 % by a random token, and 10 % stay
// as they are.
class MaskedExamples final : public ExampleMaker {
 public:
  // An Error if there is no [MASK], or no room in a window.
  MaskedExamples(WordPieces pieces, const MaskedExamplesConfig& config);

  bool add(const PairView& entry, RandomKey key, EncodedExamples& examples) const override;
  bool varies() const override { return config_.varies; }
  int64_t longest() const override { return config_.context_length; }

 private:
  void add_window(std::span<const int32_t> ids, Rng& rng, EncodedExamples& examples) const;

  WordPieces pieces_;
  MaskedExamplesConfig config_;
  int32_t mask_;
  size_t before_ = 0;  // tokens of the frame before a text
  size_t window_;      // tokens of a text
};

}  // namespace heed
