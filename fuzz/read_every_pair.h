// Reads every pair of a fuzzed corpus.
#pragma once

#include <cstdlib>

#include "heed/base/text.h"
#include "heed/data/corpus.h"

// What cleaning does not drop is text of one line, and not empty.
inline void read_every_pair(heed::PairReader& reader) {
  for (heed::SentencePair pair; reader.next(pair);) {
    if (heed::clean(pair, 100)) continue;
    for (const std::string& side : {pair.source, pair.target})
      if (side.empty() || !heed::is_utf8(side) || side.find('\n') != std::string::npos)
        std::abort();
  }
}
