#include "heed/decoding/word_alignment.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {

namespace {

// The word of each id; -1 for the sentence's end.
std::vector<int64_t> words_of(std::span<const int32_t> ids, const Vocabulary& vocabulary) {
  std::vector<int64_t> words;
  int64_t word = -1;
  for (const int32_t id : ids) {
    if (id != Vocabulary::end && (word < 0 || vocabulary.starts_word(id))) ++word;
    words.push_back(id == Vocabulary::end ? -1 : word);
  }
  return words;
}

int64_t count_words(const std::vector<int64_t>& words) {
  return words.empty() ? 0 : *std::ranges::max_element(words) + 1;
}

}  // namespace

std::vector<WordAlignment::Link> WordAlignment::links() const {
  std::vector<Link> links;
  if (!weights.present() || weights.shape()[1] == 0) return links;
  for (int64_t target = 0; target < weights.shape()[0]; ++target) {
    const float* row = weights.matrix<float>().row(target);
    links.push_back({std::max_element(row, row + weights.shape()[1]) - row, target});
  }
  return links;
}

WordAlignment align_words(const Tensor& attention, std::span<const int32_t> source_ids,
                          const Vocabulary& source, std::span<const int32_t> target_ids,
                          const Vocabulary& target) {
  require(attention.shape() == Shape({static_cast<int64_t>(target_ids.size()),
                                      static_cast<int64_t>(source_ids.size())}),
          "align_words: attention {} for {} target and {} source ids", attention.shape(),
          target_ids.size(), source_ids.size());
  const std::vector<int64_t> source_words = words_of(source_ids, source),
                             target_words = words_of(target_ids, target);
  WordAlignment alignment = {Tensor::zeros({count_words(target_words), count_words(source_words)})};
  for (size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0) continue;
    const auto pieces = static_cast<float>(std::ranges::count(target_words, target_words[t]));
    for (size_t s = 0; s < source_words.size(); ++s)
      if (source_words[s] >= 0)
        alignment.weights.matrix<float>()(target_words[t], source_words[s]) +=
            attention.matrix<float>()(static_cast<int64_t>(t), static_cast<int64_t>(s)) / pieces;
  }
  return alignment;
}

WordAlignment joined(const WordAlignment& front, const WordAlignment& back) {
  if (!front.weights.present() || !back.weights.present()) return {};
  const Shape &a = front.weights.shape(), &b = back.weights.shape();
  WordAlignment both = {Tensor::zeros({a[0] + b[0], a[1] + b[1]})};
  const auto put = [&](const Tensor& part, int64_t row, int64_t column) {
    for (int64_t r = 0; r < part.shape()[0]; ++r)
      std::copy_n(part.matrix<float>().row(r), part.shape()[1],
                  both.weights.matrix<float>().row(row + r) + column);
  };
  put(front.weights, 0, 0);
  put(back.weights, a[0], a[1]);
  return both;
}

}  // namespace heed
