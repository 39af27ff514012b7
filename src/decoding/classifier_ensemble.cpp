#include "heed/decoding/classifier_ensemble.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

// The number that each label of the first model has in another.
std::vector<int32_t> numbers_in(const std::vector<std::string>& labels, const std::string& name,
                                const std::vector<std::string>& known) {
  std::vector<int32_t> numbers;
  for (const std::string& label : labels) {
    const auto found = std::ranges::find(known, label);
    require(found != known.end(), "{}: the model does not know the label {} of the first model",
            name, Quoted{label});
    numbers.push_back(static_cast<int32_t>(found - known.begin()));
  }
  for (const std::string& label : known)
    require(std::ranges::find(labels, label) != labels.end(),
            "{}: the first model does not know the label {} of this one", name, Quoted{label});
  return numbers;
}

// Adds the weights of one model. Another vocabulary may have cut the text at another word; to what
// a model did not read, it gave no weight.
void add_weights(std::vector<WeightedWord>& words, std::vector<WeightedWord> more) {
  for (size_t i = 0; i < more.size(); ++i)
    if (i < words.size())
      words[i].weight += more[i].weight;
    else
      words.push_back(std::move(more[i]));
}

}  // namespace

ClassifierEnsemble ClassifierEnsemble::load(std::span<const std::filesystem::path> folders,
                                            const TextClassifierOptions& options) {
  ClassifierEnsemble ensemble;
  ensemble.want_words_ = options.want_words;
  for (const std::filesystem::path& folder : folders)
    ensemble.add(folder.string(), load_classifier_folder(folder), options);
  require(!ensemble.members_.empty(), "classify: there is no model");
  return ensemble;
}

void ClassifierEnsemble::add(const std::string& name, const ClassifierFolder& folder,
                             const TextClassifierOptions& options) {
  const bool by_attention = folder.config.pooling == TextPooling::attention;
  const int64_t reads = folder.model->max_length();
  if (members_.empty()) {
    labels_ = folder.labels;
    several_labels_ = folder.config.several_labels;
    pools_by_attention_ = by_attention;
    max_length_ = reads;
  }
  require(several_labels_ == folder.config.several_labels,
          "{}: gives a text {} but the first model {}", name,
          several_labels_ ? "one label" : "several labels", several_labels_ ? "several" : "one");
  require(!want_words_ || pools_by_attention_ == by_attention, ErrorKind::usage,
          "{}: words have weights of {} but in the first model of {}, which cannot be averaged",
          name, by_attention ? "attention" : "gradients", by_attention ? "gradients" : "attention");
  TextClassifierOptions own = {.precision = options.precision};
  if (folder.storage == WeightStorage::int8) own.precision = Precision::int8;
  max_length_ = std::min(max_length_, reads);
  members_.push_back({TextClassifier(*folder.model, folder.pieces, own),
                      numbers_in(labels_, name, folder.labels)});
}

std::vector<WeightedWord> ClassifierEnsemble::words(
    std::span<const std::vector<ClassifiedText>> found, size_t number, int32_t label) const {
  std::vector<WeightedWord> words;
  for (size_t m = 0; m < members_.size(); ++m) {
    const auto& [classifier, numbers] = members_[m];
    add_weights(words, classifier.words(found[m][number], numbers[static_cast<size_t>(label)]));
  }
  for (WeightedWord& word : words) word.weight /= static_cast<float>(members_.size());
  return words;
}

ClassifiedText ClassifierEnsemble::together(std::span<const std::vector<ClassifiedText>> found,
                                            size_t number) const {
  ClassifiedText text = found.front()[number];
  if (found.size() == 1) return text;
  text.labels.clear();
  for (size_t label = 0; label < labels_.size(); ++label) {
    double sum = 0;
    for (size_t m = 0; m < found.size(); ++m)
      sum += found[m][number].probabilities[static_cast<size_t>(members_[m].numbers[label])];
    const double mean = sum / static_cast<double>(found.size());
    text.probabilities[label] = static_cast<float>(mean);
    if (several_labels_ && mean >= 0.5) text.labels.push_back(static_cast<int32_t>(label));
  }
  if (!several_labels_) text.labels = {text.likeliest()};
  for (const std::vector<ClassifiedText>& one : found) text.cut = text.cut || one[number].cut;
  return text;
}

std::vector<ClassifiedText> ClassifierEnsemble::classify(std::span<const std::string> texts,
                                                         Workers& workers) const {
  std::vector<std::vector<ClassifiedText>> found;
  for (const Member& member : members_) found.push_back(member.classifier.classify(texts, workers));
  std::vector<ClassifiedText> results(texts.size());
  workers.run(static_cast<int64_t>(texts.size()), [&](int64_t task, int) {
    const auto i = static_cast<size_t>(task);
    results[i] = together(found, i);
    if (want_words_) results[i].words = words(found, i, results[i].likeliest());
  });
  return results;
}

}  // namespace heed
