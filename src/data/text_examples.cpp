#include "heed/data/text_examples.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/text_corpus.h"

namespace heed {

TextExamples::TextExamples(Vocabulary vocabulary, const TextExamplesConfig& config)
    : vocabulary_(std::move(vocabulary)), config_(config) {
  require(config.context_length >= 2, "batches: a context of {} tokens but at least 2 was expected",
          config.context_length);
}

bool TextExamples::add(const PairView& entry, RandomKey key, EncodedExamples& examples) const {
  const TextPart part = text_part(entry);
  // The first is only read, the others are read and predicted.
  std::vector<int32_t> ids = vocabulary_.encode(part.text);
  if (part.begins) ids.insert(ids.begin(), start_token);
  if (part.ends) ids.push_back(Vocabulary::end);
  const auto context = static_cast<size_t>(config_.context_length);
  size_t window = config_.moving ? 1 + Rng(key).below(context) : context;
  for (size_t begin = 1; begin < ids.size(); begin += window, window = context) {
    window = std::min(window, ids.size() - begin);
    examples.add({.target = std::span(ids).subspan(begin, window), .before = ids[begin - 1]});
  }
  return true;
}

}  // namespace heed
