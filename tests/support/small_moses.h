// A vocabulary of Moses's words and byte-pair encoding that has all pieces of made-up sentences.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "heed/base/characters.h"
#include "heed/data/moses_vocabulary.h"

namespace heed::testing {

// Their syllables and a quote are merged, inside a word and at its end.
struct SmallMoses {
  std::string merges = "#version: 0.2\n";
  std::vector<std::string> tokens;
};

inline SmallMoses small_moses() {
  SmallMoses small;
  std::set<std::string> pieces = {".", ","};
  for (const char* syllable : {"&quot;", "ba", "ko", "ri", "ten", "mül", "sa", "den", "ge", "lo",
                               "ver", "ßen", "cha", "né", "um", "ist", "zu"}) {
    std::string merged;
    for (const char32_t character : characters_of(syllable)) {
      const std::string next = text_of(std::u32string(1, character));
      if (!merged.empty())
        small.merges += merged + " " + next + "\n" + merged + " " + next + "</w>\n";
      merged += next;
      pieces.insert(next);
      pieces.insert(merged);
    }
  }
  for (const std::string& piece : pieces) {
    small.tokens.push_back(piece);
    small.tokens.push_back(piece + "@@");
  }
  return small;
}

inline Vocabulary small_moses_vocabulary(const std::string& language = "de") {
  const SmallMoses small = small_moses();
  return moses_vocabulary(
      small.tokens, {.language = language, .prefixes = {"Dr"}, .merges = small.merges}, "a.spm");
}

}  // namespace heed::testing
