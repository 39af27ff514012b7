// The pairs of a corpus reader.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "heed/data/pair_reader.h"

namespace heed::testing {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Those that it does not drop.
inline Pairs pairs_of(PairReader& reader) {
  Pairs pairs;
  for (SentencePair pair; reader.next(pair);)
    if (!pair.drop) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

// Its reasons for dropping pairs.
inline std::vector<Drop> drops_of(PairReader& reader) {
  std::vector<Drop> drops;
  for (SentencePair pair; reader.next(pair);)
    if (pair.drop) drops.push_back(*pair.drop);
  return drops;
}

}  // namespace heed::testing
