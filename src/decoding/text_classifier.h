// Texts to labels, with probabilities and the words that a decision looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/word_pieces.h"
#include "heed/models/classifier.h"

namespace heed {

struct WeightedWord {
  std::string word;
  float weight = 0;
};

struct ClassifiedText {
  std::vector<int32_t> ids;  // what the model read
  bool cut = false;          // the text has more tokens than the model reads
  // Of each label. They add up to 1, unless a text may have several labels.
  std::vector<float> probabilities;
  std::vector<int32_t> labels;      // the likeliest; of several, all that are as likely as not
  std::vector<WeightedWord> words;  // in the order of the text, if they are wanted

  int32_t likeliest() const;  // of equal labels, the first
};

struct TextClassifierOptions {
  Precision precision = Precision::float32;
  bool want_words = false;
};

// What it says about a text is a function of the text: neither other texts nor threads change a bit
// of it.
//
// The weight of a word is the sum over its pieces. If tokens are pooled by attention, a piece has
// its attention weight. Otherwise it is gradient × input: how much the score of the likeliest label
// changes with the piece's embedding, times that embedding. A positive weight speaks for the label.
class TextClassifier {
 public:
  TextClassifier(const Classifier& model, WordPieces pieces,
                 const TextClassifierOptions& options = {});

  // In the order of the texts. An Error if the model's numbers are none.
  std::vector<ClassifiedText> classify(std::span<const std::string> texts, Workers& workers) const;

  // The words of a text that was classified, with their weights for any label of it.
  std::vector<WeightedWord> words(const ClassifiedText& text, int32_t label) const;

 private:
  void classify_batch(std::span<ClassifiedText> texts) const;
  std::vector<float> token_weights(const ClassifiedText& text, int32_t label) const;

  Classifier model_;  // shares the weights of the one given
  std::unique_ptr<const EncodingModel> encoder_;
  WordPieces pieces_;
  bool want_words_;
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();
};

}  // namespace heed
