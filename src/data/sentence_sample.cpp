#include "heed/data/sentence_sample.h"

#include <utility>

namespace heed {

bool SentenceSample::is_in(uint64_t throws) const {
  // More than 63 halvings would take more sentences than a counter can hold.
  const uint64_t decided = (uint64_t{1} << halvings_) - 1;
  return (throws & decided) == decided;
}

void SentenceSample::add(std::string_view sentence) {
  const RandomKey words = derive_key(key_, seen_++);
  const uint64_t throws = (uint64_t{words.high} << 32) | words.low;
  if (!is_in(throws)) return;
  sentences_.push_back({std::string(sentence), throws});
  bytes_ += static_cast<int64_t>(sentence.size());
  while (bytes_ > most_bytes_ && halvings_ < 63) {
    ++halvings_;
    std::erase_if(sentences_, [&](const Sentence& candidate) {
      if (is_in(candidate.throws)) return false;
      bytes_ -= static_cast<int64_t>(candidate.text.size());
      return true;
    });
  }
}

std::vector<std::string> SentenceSample::take() && {
  std::vector<std::string> texts;
  texts.reserve(sentences_.size());
  for (Sentence& sentence : sentences_) texts.push_back(std::move(sentence.text));
  return texts;
}

}  // namespace heed
