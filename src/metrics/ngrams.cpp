#include "heed/metrics/ngrams.h"

#include <algorithm>

namespace heed {

NgramCounts count_ngrams(std::u32string_view sequence, size_t n) {
  NgramCounts counts;
  for (size_t begin = 0; begin + n <= sequence.size(); ++begin) ++counts[sequence.substr(begin, n)];
  return counts;
}

int64_t count_matches(const NgramCounts& hypothesis, const NgramCounts& reference) {
  int64_t matches = 0;
  for (const auto& [ngram, count] : hypothesis)
    if (const auto found = reference.find(ngram); found != reference.end())
      matches += std::min(count, found->second);
  return matches;
}

std::u32string WordNumbers::number(const std::vector<std::u32string>& words) {
  std::u32string sequence;
  sequence.reserve(words.size());
  for (const std::u32string& word : words)
    sequence.push_back(
        numbers_.emplace(word, static_cast<char32_t>(numbers_.size())).first->second);
  return sequence;
}

}  // namespace heed
