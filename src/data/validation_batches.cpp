#include "heed/data/validation_batches.h"

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"

namespace heed {

namespace {

EncodedExamples examples_of(const CorpusStore& store, const ExampleMaker& maker) {
  EncodedExamples examples;
  const RandomKey key = make_key(0);
  for (int64_t index = 0; index < store.chunks(); ++index) {
    const CorpusChunk chunk = store.read(index);
    auto number = static_cast<uint64_t>(store.first_pair(index));
    for (const PairView& entry : chunk.pairs) maker.add(entry, derive_key(key, number++), examples);
  }
  return examples;
}

}  // namespace

std::vector<ValidationBatch> validation_batches(const CorpusStore& store, const ExampleMaker& maker,
                                                int64_t tokens) {
  require(tokens >= 1, "validation: batches of {} tokens but at least 1 was expected", tokens);
  const EncodedExamples examples = examples_of(store, maker);
  std::vector<uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](uint32_t example) { return examples.tokens(example); });

  std::vector<ValidationBatch> batches;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    int64_t sum = 0;
    for (end = begin;
         end < order.size() && (end == begin || sum + examples.tokens(order[end]) <= tokens); ++end)
      sum += examples.tokens(order[end]);
    const std::span<const uint32_t> part = std::span(order).subspan(begin, end - begin);
    batches.push_back({make_batch(examples, part), std::vector<int64_t>(part.begin(), part.end())});
  }
  return batches;
}

}  // namespace heed
