#include "heed/data/corpus_statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "heed/base/utf8_bytes.h"

namespace heed {

namespace {

constexpr size_t sample_count = 5;

int64_t words_in(std::string_view text) {
  int64_t words = 0;
  char before = ' ';
  for (const char letter : text) {
    words += before == ' ' && letter != ' ';
    before = letter;
  }
  return words;
}

uint64_t hash_of(std::string_view source, std::string_view target) {
  const std::hash<std::string_view> hash;
  const RandomKey mixed = derive_key(derive_key(RandomKey(), hash(source)), hash(target));
  return (uint64_t{mixed.high} << 32) | mixed.low;
}

}  // namespace

void LengthCounts::add(int64_t length) {
  ++counts_[length];
  ++all_;
}

int64_t LengthCounts::at_share(double share) const {
  const auto wanted = static_cast<int64_t>(std::ceil(share * static_cast<double>(all_)));
  int64_t below = 0;
  for (const auto& [length, count] : counts_) {
    below += count;
    if (below >= wanted) return length;
  }
  return 0;
}

LengthSummary LengthCounts::summary() const {
  return {.median = at_share(0.5), .percentile_95 = at_share(0.95), .longest = at_share(1)};
}

bool CorpusStatistics::add(std::string_view source, std::string_view target) {
  source_.words.add(words_in(source));
  source_.characters.add(count_characters(source));
  target_.words.add(words_in(target));
  target_.characters.add(count_characters(target));
  consider_as_sample(source, target);
  ++pairs_;
  const bool is_new = seen_.insert(hash_of(source, target)).second;
  duplicates_ += is_new ? 0 : 1;
  return is_new;
}

// Reservoir sampling: the i-th pair takes a random place among the first i, and is kept if that is
// a place of a sample.
void CorpusStatistics::consider_as_sample(std::string_view source, std::string_view target) {
  const auto number = static_cast<uint64_t>(pairs_);
  const uint64_t place =
      number < sample_count ? number : Rng(derive_key(make_key(1), number)).below(number + 1);
  if (place >= sample_count) return;
  if (place == samples_.size()) samples_.emplace_back();
  samples_[place] = {pairs_, std::string(source), std::string(target)};
}

std::vector<std::pair<std::string, std::string>> CorpusStatistics::samples() const {
  std::vector<Sample> sorted = samples_;
  std::ranges::sort(sorted, {}, &Sample::number);
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Sample& sample : sorted) pairs.emplace_back(sample.source, sample.target);
  return pairs;
}

}  // namespace heed
