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

int64_t count_along(const std::vector<Tensor>& parts, int axis) {
  int64_t count = 0;
  for (const Tensor& weights : parts) count += weights.shape()[axis];
  return count;
}

}  // namespace

int64_t WordAlignment::source_words() const { return count_along(parts, 1); }

int64_t WordAlignment::target_words() const { return count_along(parts, 0); }

std::vector<WordAlignment::Link> WordAlignment::links() const {
  std::vector<Link> links;
  int64_t sources_before = 0, target = 0;
  for (const Tensor& weights : parts) {
    const int64_t sources = weights.shape()[1];
    for (int64_t row = 0; row < weights.shape()[0]; ++row, ++target) {
      const float* begin = weights.matrix<float>().row(row);
      if (sources > 0)
        links.push_back(
            {sources_before + (std::max_element(begin, begin + sources) - begin), target});
    }
    sources_before += sources;
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
  Tensor weights = Tensor::zeros({count_words(target_words), count_words(source_words)});
  for (size_t t = 0; t < target_words.size(); ++t) {
    if (target_words[t] < 0) continue;
    const auto pieces = static_cast<float>(std::ranges::count(target_words, target_words[t]));
    for (size_t s = 0; s < source_words.size(); ++s)
      if (source_words[s] >= 0)
        weights.matrix<float>()(target_words[t], source_words[s]) +=
            attention.matrix<float>()(static_cast<int64_t>(t), static_cast<int64_t>(s)) / pieces;
  }
  return {{weights}};
}

}  // namespace heed
