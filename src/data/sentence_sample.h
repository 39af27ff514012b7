// A random sample of the sentences of a text of any length, in bounded memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/random.h"

namespace heed {

// Keeps all sentences while they fit. If there are more, a random half of them is dropped, and from
// then on half as many are taken, so that every sentence is equally likely to be in the sample.
class SentenceSample {
 public:
  SentenceSample(int64_t most_bytes, uint64_t seed)
      : most_bytes_(most_bytes), key_(make_key(seed)) {}

  void add(std::string_view sentence);

  // In the order of the text.
  std::vector<std::string> take() &&;

 private:
  struct Sentence {
    std::string text;
    uint64_t throws;  // heads and tails that decide at each halving
  };

  bool is_in(uint64_t throws) const;

  int64_t most_bytes_;
  RandomKey key_;
  uint64_t seen_ = 0;
  int halvings_ = 0;
  int64_t bytes_ = 0;
  std::vector<Sentence> sentences_;
};

}  // namespace heed
