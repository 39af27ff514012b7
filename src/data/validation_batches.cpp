#include "heed/data/validation_batches.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/data/encoded_pairs.h"

namespace heed {

std::vector<ValidationBatch> validation_batches(const CorpusStore& store, const Vocabulary& source,
                                                const Vocabulary& target, int64_t tokens,
                                                int64_t max_length) {
  require(tokens >= 1, "validation: batches of {} tokens but at least 1 was expected", tokens);
  EncodedPairs pairs;
  for (int64_t index = 0; index < store.chunks(); ++index) {
    const CorpusChunk chunk = store.read(index);
    for (const PairView& pair : chunk.pairs)
      pairs.add(source.encode(pair.source), target.encode(pair.target));
  }
  std::vector<uint32_t> order;
  for (uint32_t pair = 0; pair < pairs.size(); ++pair)
    if (pairs.tokens(pair) <= max_length) order.push_back(pair);
  std::ranges::stable_sort(order, {}, [&](uint32_t pair) { return pairs.tokens(pair); });

  std::vector<ValidationBatch> batches;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    int64_t sum = 0;
    for (end = begin;
         end < order.size() && (end == begin || sum + pairs.tokens(order[end]) <= tokens); ++end)
      sum += pairs.tokens(order[end]);
    const std::span<const uint32_t> part = std::span(order).subspan(begin, end - begin);
    batches.push_back({make_batch(pairs, part), std::vector<int64_t>(part.begin(), part.end())});
  }
  return batches;
}

}  // namespace heed
