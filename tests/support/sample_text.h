// Text to test vocabularies and corpora with: sentences of made-up words with a natural frequency
// distribution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heed/base/random.h"

namespace heed::testing {

inline std::string made_up_word(uint64_t rank) {
  static const std::vector<std::string> syllables = {"ba",  "ko", "ri",  "ten", "mül", "sa",
                                                     "den", "ge", "lo",  "ver", "ßen", "cha",
                                                     "né",  "um", "ist", "zu"};
  Rng rng(derive_key(make_key(7), rank));
  std::string word;
  for (uint64_t left = 1 + rng.below(4); left > 0; --left)
    word += syllables[rng.below(syllables.size())];
  return word;
}

// The i-th sentence of a language that has `words` words.
inline std::string made_up_sentence(uint64_t i, uint64_t words = 2000) {
  Rng rng(derive_key(make_key(11), i));
  std::string sentence;
  for (uint64_t left = 1 + rng.below(20); left > 0; --left) {
    const double share = rng.uniform();
    sentence +=
        made_up_word(static_cast<uint64_t>(share * share * share * static_cast<double>(words)));
    sentence += left > 1 ? " " : ".";
  }
  return sentence;
}

inline std::vector<std::string> made_up_sentences(uint64_t count, uint64_t words = 2000) {
  std::vector<std::string> sentences;
  for (uint64_t i = 0; i < count; ++i) sentences.push_back(made_up_sentence(i, words));
  return sentences;
}

}  // namespace heed::testing
