// The sentences of a golden file.
#pragma once

#include <string>

#include "golden.h"
#include "heed/data/batch.h"

namespace heed::testing {

inline TokenBatch golden_tokens(const TensorFile& file, const std::string& side) {
  TokenBatch tokens{{}, Ragged(file.read_integers(side + ".lengths"))};
  for (const int64_t id : file.read_integers(side + ".ids"))
    tokens.ids.push_back(static_cast<int32_t>(id));
  return tokens;
}

inline Batch golden_batch(const TensorFile& file) {
  return {golden_tokens(file, "source"), golden_tokens(file, "target")};
}

// One sentence pair of a batch.
inline Batch pair_of(const Batch& batch, int64_t sentence) {
  const auto alone = [sentence](const TokenBatch& tokens) {
    const std::span<const int32_t> ids = tokens.sentence(sentence);
    return TokenBatch{{ids.begin(), ids.end()}, Ragged({tokens.layout.length(sentence)})};
  };
  Batch pair = {{}, alone(batch.target), {}};
  if (!batch.source.ids.empty()) pair.source = alone(batch.source);
  if (!batch.before.empty()) pair.before = {batch.before[static_cast<size_t>(sentence)]};
  return pair;
}

}  // namespace heed::testing
