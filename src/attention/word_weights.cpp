#include "heed/attention/word_weights.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

int64_t count_words(std::span<const int64_t> words) {
  return words.empty() ? 0 : *std::ranges::max_element(words) + 1;
}

}  // namespace

Tensor word_weights(const Tensor& weights, std::span<const int64_t> query_words,
                    std::span<const int64_t> key_words) {
  require(weights.shape() == Shape({static_cast<int64_t>(query_words.size()),
                                    static_cast<int64_t>(key_words.size())}),
          "word weights: weights {} for {} queries and {} keys", weights.shape(),
          query_words.size(), key_words.size());
  Tensor of_words = Tensor::zeros({count_words(query_words), count_words(key_words)});
  for (size_t q = 0; q < query_words.size(); ++q) {
    if (query_words[q] < 0) continue;
    const auto pieces = static_cast<float>(std::ranges::count(query_words, query_words[q]));
    for (size_t k = 0; k < key_words.size(); ++k)
      if (key_words[k] >= 0)
        of_words.matrix<float>()(query_words[q], key_words[k]) +=
            weights.matrix<float>()(static_cast<int64_t>(q), static_cast<int64_t>(k)) / pieces;
  }
  return of_words;
}

}  // namespace heed
