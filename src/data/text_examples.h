// Texts to be continued: documents cut into windows of a model's context.
#pragma once

#include "heed/data/example_maker.h"

namespace heed {

struct TextExamplesConfig {
  int64_t context_length = 256;  // tokens that a window reads, the one before it included
  // Where the windows of a part begin differs from epoch to epoch, so that every token is seen with
  // more and with less of what stands before it.
  bool moving = true;
};

// A part of a document (see text_corpus.h) becomes windows that follow each other: no token is
// padding, and each is predicted once, but for the first of a part from the middle. A window reads
// the token before it first, or the start token where a document begins; where one ends, the end is
// predicted.
class TextExamples final : public ExampleMaker {
 public:
  TextExamples(Vocabulary vocabulary, const TextExamplesConfig& config);

  bool add(const PairView& entry, RandomKey key, EncodedExamples& examples) const override;
  bool varies() const override { return config_.moving; }
  int64_t longest() const override { return config_.context_length; }

 private:
  Vocabulary vocabulary_;
  TextExamplesConfig config_;
};

}  // namespace heed
