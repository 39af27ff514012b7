#include "heed/models/hypotheses.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"

namespace heed {

void check_tokens(std::span<const int32_t> tokens, int64_t vocabulary) {
  for (const int32_t token : tokens)
    require(token >= 0 && token < vocabulary, "decode: token {} is not in a vocabulary of {}",
            token, vocabulary);
}

Ragged Hypotheses::grouping(int64_t first, int64_t end) const {
  std::vector<int64_t> counts(static_cast<size_t>(end - first), 0);
  const auto [from, to] = std::pair{std::ranges::lower_bound(sentences_, first),
                                    std::ranges::lower_bound(sentences_, end)};
  for (auto sentence = from; sentence != to; ++sentence)
    ++counts[static_cast<size_t>(*sentence - first)];
  return Ragged(counts);
}

void Hypotheses::add(int64_t sentences) {
  for (int64_t i = 0; i < sentences; ++i) sentences_.push_back(next_sentence_++);
}

void Hypotheses::check_tokens(std::span<const int32_t> tokens, int64_t vocabulary) const {
  require(static_cast<int64_t>(tokens.size()) == count(), "decode: {} tokens for {} hypotheses",
          tokens.size(), count());
  heed::check_tokens(tokens, vocabulary);
}

void Hypotheses::select(std::span<const int64_t> from) {
  std::vector<int64_t> sentences;
  sentences.reserve(from.size());
  for (const int64_t hypothesis : from) {
    require(hypothesis >= 0 && hypothesis < count(), "decode: hypothesis {} of {} was asked for",
            hypothesis, count());
    sentences.push_back(sentences_[static_cast<size_t>(hypothesis)]);
  }
  require(std::ranges::is_sorted(sentences),
          "decode: the hypotheses to keep are not in the order of their sentences");
  sentences_ = std::move(sentences);
}

std::vector<int64_t> Hypotheses::renumber() {
  std::vector<int64_t> before;
  for (int64_t& sentence : sentences_) {
    if (before.empty() || before.back() != sentence) before.push_back(sentence);
    sentence = static_cast<int64_t>(before.size()) - 1;
  }
  next_sentence_ = static_cast<int64_t>(before.size());
  return before;
}

}  // namespace heed
