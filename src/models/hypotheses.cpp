#include "heed/models/hypotheses.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "heed/base/error.h"

namespace heed {

Hypotheses::Hypotheses(int64_t sentences)
    : grouping_(std::vector<int64_t>(static_cast<size_t>(sentences), 1)),
      sentences_(static_cast<size_t>(sentences)) {
  std::iota(sentences_.begin(), sentences_.end(), 0);
}

void Hypotheses::check_tokens(std::span<const int32_t> tokens, int64_t vocabulary) const {
  require(static_cast<int64_t>(tokens.size()) == count(), "decode: {} tokens for {} hypotheses",
          tokens.size(), count());
  for (const int32_t token : tokens)
    require(token >= 0 && token < vocabulary, "decode: token {} is not in a vocabulary of {}",
            token, vocabulary);
}

void Hypotheses::select(std::span<const int64_t> from) {
  std::vector<int64_t> sentences, counts(static_cast<size_t>(grouping_.sequences()), 0);
  for (const int64_t hypothesis : from) {
    require(hypothesis >= 0 && hypothesis < count(), "decode: hypothesis {} of {} was asked for",
            hypothesis, count());
    sentences.push_back(sentences_[static_cast<size_t>(hypothesis)]);
    ++counts[static_cast<size_t>(sentences.back())];
  }
  require(std::ranges::is_sorted(sentences),
          "decode: the hypotheses to keep are not in the order of their sentences");
  grouping_ = Ragged(counts);
  sentences_ = std::move(sentences);
}

}  // namespace heed
