#include "heed/decoding/word_alignment.h"

#include <algorithm>

#include "heed/attention/word_weights.h"
#include "heed/base/error.h"

namespace heed {

namespace {

int64_t count_along(const std::vector<Tensor>& parts, int axis) {
  int64_t count = 0;
  for (const Tensor& weights : parts) count += weights.shape()[axis];
  return count;
}

}  // namespace

std::vector<int64_t> words_of(std::span<const int32_t> ids, const Vocabulary& vocabulary,
                              size_t tag_tokens) {
  const std::span<const int32_t> text = ids.subspan(tag_tokens);
  const std::vector<bool> starts = vocabulary.word_starts(text);
  std::vector<int64_t> words(tag_tokens, -1);
  int64_t word = -1;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool special = text[i] == Vocabulary::end || text[i] == vocabulary.start();
    if (!special && (word < 0 || starts[i])) ++word;
    words.push_back(special ? -1 : word);
  }
  return words;
}

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
  return {{word_weights(attention, words_of(target_ids, target), words_of(source_ids, source))}};
}

}  // namespace heed
