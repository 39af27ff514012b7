#include "heed/data/labelled_examples.h"

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/data/labelled_corpus.h"

namespace heed {

LabelledExamples::LabelledExamples(WordPieces pieces, const std::vector<std::string>& labels,
                                   const LabelledExamplesConfig& config)
    : pieces_(std::move(pieces)),
      config_(config),
      mask_(pieces_.find("[MASK]").value_or(pieces_.unknown())) {
  for (const std::string& label : labels)
    numbers_.emplace(label, static_cast<int32_t>(numbers_.size()));
}

std::vector<int32_t> LabelledExamples::numbers_of(const PairView& entry) const {
  std::vector<int32_t> numbers;
  for (const std::string_view label : labels_of(entry)) {
    const auto known = numbers_.find(label);
    require(known != numbers_.end(), "labels: the model does not know the label {}", quote(label));
    numbers.push_back(known->second);
  }
  require(config_.several_labels || numbers.size() == 1,
          "labels: a text with {} labels but one was expected", numbers.size());
  return numbers;
}

std::vector<int32_t> LabelledExamples::encoded(std::string_view text, RandomKey key) const {
  if (config_.sampling == 0) return pieces_.encode(text, config_.max_length).ids;
  constexpr uint64_t stream = 1;  // the key itself hides words
  return pieces_
      .sample(text, config_.max_length,
              {.dropout = config_.sampling, .key = derive_key(key, stream)})
      .ids;
}

bool LabelledExamples::add(const PairView& entry, RandomKey key, EncodedExamples& examples) const {
  std::vector<int32_t> target = numbers_of(entry);
  if (config_.several_labels) {
    std::vector<int32_t> answers(numbers_.size(), 0);
    for (const int32_t label : target) answers[static_cast<size_t>(label)] = 1;
    target = std::move(answers);
  }
  std::vector<int32_t> source = encoded(entry.source, key);
  if (config_.hidden > 0) {
    Rng rng(key);
    for (int32_t& id : source)
      if (rng.uniform() < config_.hidden && !pieces_.frames(id)) id = mask_;
  }
  examples.add({.source = source, .target = target});
  return true;
}

}  // namespace heed
