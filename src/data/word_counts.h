// Counts of words in a text, in bounded memory: the input of vocabulary training.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heed/base/random.h"

namespace heed {

// The statistics of a text that the vocabulary size depends on.
struct TextSize {
  int64_t words = 0;  // between spaces
  int64_t distinct_words = 0;
  int64_t characters = 0;
  int64_t distinct_characters = 0;
};

// If there are more distinct words than may be kept (a huge text, or one without spaces, where each
// sentence is a word), a random half of the counts is dropped, and from then on half as many
// sentences are counted: the counts stay those of a uniform sample of the sentences.
class WordCounts {
 public:
  WordCounts(int64_t most_words, uint64_t seed) : most_words_(most_words), key_(make_key(seed)) {}

  void add(std::string_view sentence);

  // Of the whole text; distinct words are counted among those that are kept.
  TextSize size() const;

  // Sorted by word.
  std::vector<std::pair<std::string, int64_t>> counts() const;

 private:
  struct Hash {
    // The standard library requires this name for look-ups without a copy.
    using is_transparent = void;  // NOLINT(readability-identifier-naming)
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  void count(std::string_view word);
  void forget_half();

  int64_t most_words_;
  RandomKey key_;
  int64_t sentences_ = 0;
  int64_t words_ = 0;
  int64_t characters_ = 0;
  int halvings_ = 0;
  std::unordered_map<std::string, int64_t, Hash, std::equal_to<>> counts_;
};

}  // namespace heed
