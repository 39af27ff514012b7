// What a reader of a corpus format gives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/data/pair_reader.h"

namespace heed::testing {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Those that it has no reason to drop.
inline Pairs pairs_of(PairReader& reader) {
  Pairs pairs;
  for (SentencePair pair; reader.next(pair);)
    if (!pair.drop) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

// The reasons to drop that it has.
inline std::vector<Drop> drops_of(PairReader& reader) {
  std::vector<Drop> drops;
  for (SentencePair pair; reader.next(pair);)
    if (pair.drop) drops.push_back(*pair.drop);
  return drops;
}

}  // namespace heed::testing
