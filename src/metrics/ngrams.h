// Counts of n-grams: of characters, or of words that were given numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heed {

// How often each run of n elements occurs. The keys are parts of the sequence that was counted.
using NgramCounts = std::unordered_map<std::u32string_view, int64_t>;
NgramCounts count_ngrams(std::u32string_view sequence, size_t n);

// How many of the hypothesis' n-grams are in the reference, each counted at most as often as it
// occurs there.
int64_t count_matches(const NgramCounts& hypothesis, const NgramCounts& reference);

// Gives equal words equal numbers, so that sentences can be treated like strings of characters.
class WordNumbers {
 public:
  std::u32string number(const std::vector<std::u32string>& words);

 private:
  std::unordered_map<std::u32string, char32_t> numbers_;
};

}  // namespace heed
