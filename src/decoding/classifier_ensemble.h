// Several classifiers as one: the probabilities that they give a label are averaged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/decoding/text_classifier.h"
#include "heed/folders/classifier_folder.h"

namespace heed {

// A text gets the label whose mean probability is the highest; of several labels, all whose mean is
// at least a half. The weight of a word is the mean of its weights for the label that the models
// gave together; words are matched by their order in the text. One model alone says what its
// TextClassifier says, to the last bit.
class ClassifierEnsemble {
 public:
  // The models know the same labels, in any order; their word pieces may differ. An Error names the
  // folder that cannot be read or does not go with the first. Words are wanted only of models that
  // weigh them in one way.
  static ClassifierEnsemble load(std::span<const std::filesystem::path> folders,
                                 const TextClassifierOptions& options = {});

  const std::vector<std::string>& labels() const { return labels_; }
  bool several_labels() const { return several_labels_; }
  int64_t max_length() const { return max_length_; }  // of the model that reads least

  // In the order of the texts. The ids of a text are those of the first model, and it is cut if any
  // model had to cut it.
  std::vector<ClassifiedText> classify(std::span<const std::string> texts, Workers& workers) const;

 private:
  struct Member {
    TextClassifier classifier;
    std::vector<int32_t> numbers;  // what the model calls the labels of the first
  };

  ClassifierEnsemble() = default;
  void add(const std::string& name, const ClassifierFolder& folder,
           const TextClassifierOptions& options);
  // What the models found of each text, and the number of one text.
  ClassifiedText together(std::span<const std::vector<ClassifiedText>> found, size_t number) const;
  std::vector<WeightedWord> words(std::span<const std::vector<ClassifiedText>> found, size_t number,
                                  int32_t label) const;

  std::vector<Member> members_;
  std::vector<std::string> labels_;
  bool several_labels_ = false;
  bool pools_by_attention_ = false;
  bool want_words_ = false;
  int64_t max_length_ = 0;
};

}  // namespace heed
