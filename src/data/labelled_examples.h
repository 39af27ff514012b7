// Labelled texts as examples of a classifier.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heed/data/example_maker.h"
#include "heed/data/word_pieces.h"

namespace heed {

struct LabelledExamplesConfig {
  int64_t max_length = 256;     // tokens of a text; longer ones lose their ends
  bool several_labels = false;  // the target has an answer for each label, 1 or 0
  double hidden = 0;            // share of a text's tokens that are masked, others in each epoch
  double sampling = 0;          // dropout of word pieces, others in each epoch
};

// An entry (see labelled_corpus.h) is an example: the source is the text, the target its label.
class LabelledExamples final : public ExampleMaker {
 public:
  LabelledExamples(WordPieces pieces, const std::vector<std::string>& labels,
                   const LabelledExamplesConfig& config = {});

  // An Error if a label is none of the list, or if there is not one where one is expected.
  bool add(const PairView& entry, RandomKey key, EncodedExamples& examples) const override;
  bool varies() const override { return config_.hidden > 0 || config_.sampling > 0; }
  int64_t longest() const override { return config_.max_length; }

  // The numbers of the entry's labels.
  std::vector<int32_t> numbers_of(const PairView& entry) const;

 private:
  std::vector<int32_t> encoded(std::string_view text, RandomKey key) const;

  WordPieces pieces_;
  std::map<std::string, int32_t, std::less<>> numbers_;
  LabelledExamplesConfig config_;
  int32_t mask_;  // what a hidden token becomes
};

}  // namespace heed
