#include "heed/data/encoded_pairs.h"

#include <algorithm>
#include <numeric>

#include "heed/data/vocabulary.h"

namespace heed {

namespace {

enum Purpose : uint64_t { order_of_pairs, order_of_steps };

std::vector<uint32_t> shuffled_pairs(const EncodedPairs& pairs, bool group_by_length,
                                     RandomKey key) {
  std::vector<uint32_t> order(pairs.size());
  std::iota(order.begin(), order.end(), 0u);
  shuffle(order, derive_key(key, order_of_pairs));
  if (!group_by_length) return order;
  // Stable, so that the shuffle decides among those of equal length.
  std::ranges::stable_sort(order, {}, [&](uint32_t pair) {
    return std::pair(pairs.target(pair).size(), pairs.source(pair).size());
  });
  return order;
}

// Cuts so that no part has more than `most` tokens, and wherever the tokens so far reach the next
// multiple of `even`.
std::vector<Step> cut(const EncodedPairs& pairs, const std::vector<uint32_t>& order, int64_t most,
                      double even) {
  std::vector<Step> steps;
  int64_t before = 0, inside = 0;
  double next_cut = 0;
  for (const uint32_t pair : order) {
    const int64_t tokens = pairs.tokens(pair);
    const bool reached = static_cast<double>(before + inside) >= next_cut;
    if (reached || inside + tokens > most) {
      steps.emplace_back();
      before += inside;
      inside = 0;
      if (reached) next_cut += even;
    }
    steps.back().push_back(pair);
    inside += tokens;
  }
  return steps;
}

TokenBatch join(const EncodedPairs& pairs, std::span<const uint32_t> step,
                std::span<const int32_t> (EncodedPairs::*side)(size_t) const) {
  TokenBatch batch;
  std::vector<int64_t> lengths;
  lengths.reserve(step.size());
  for (const uint32_t pair : step) {
    const std::span<const int32_t> sentence = (pairs.*side)(pair);
    batch.ids.insert(batch.ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  batch.layout = Ragged(lengths);
  return batch;
}

}  // namespace

void EncodedPairs::add(std::span<const int32_t> source, std::span<const int32_t> target) {
  places_.push_back({static_cast<int64_t>(ids_.size()), static_cast<int32_t>(source.size()) + 1,
                     static_cast<int32_t>(target.size()) + 1});
  for (const std::span<const int32_t> side : {source, target}) {
    ids_.insert(ids_.end(), side.begin(), side.end());
    ids_.push_back(Vocabulary::end);
  }
}

std::span<const int32_t> EncodedPairs::source(size_t pair) const {
  return std::span(ids_).subspan(static_cast<size_t>(places_[pair].begin),
                                 static_cast<size_t>(places_[pair].source));
}

std::span<const int32_t> EncodedPairs::target(size_t pair) const {
  return std::span(ids_).subspan(static_cast<size_t>(places_[pair].begin + places_[pair].source),
                                 static_cast<size_t>(places_[pair].target));
}

std::vector<Step> make_steps(const EncodedPairs& pairs, int64_t most_tokens, bool group_by_length,
                             RandomKey key) {
  const std::vector<uint32_t> order = shuffled_pairs(pairs, group_by_length, key);
  const auto all =
      std::accumulate(order.begin(), order.end(), int64_t{0},
                      [&](int64_t sum, uint32_t pair) { return sum + pairs.tokens(pair); });
  // Filling every step would leave a small one at the end; equal steps do not.
  const size_t fewest = cut(pairs, order, most_tokens, static_cast<double>(all) + 1).size();
  std::vector<Step> steps =
      cut(pairs, order, most_tokens,
          static_cast<double>(all) / std::max(1.0, static_cast<double>(fewest)));
  shuffle(steps, derive_key(key, order_of_steps));
  return steps;
}

std::vector<Batch> make_shards(const EncodedPairs& pairs, const Step& step, int shards) {
  Step by_cost = step;
  std::ranges::stable_sort(by_cost, std::greater(),
                           [&](uint32_t pair) { return pairs.cost(pair); });
  // Each pair, costliest first, goes to the shard with the least cost so far.
  std::vector<Step> parts(static_cast<size_t>(shards));
  std::vector<int64_t> costs(parts.size());
  for (const uint32_t pair : by_cost) {
    const auto lightest = static_cast<size_t>(std::ranges::min_element(costs) - costs.begin());
    parts[lightest].push_back(pair);
    costs[lightest] += pairs.cost(pair);
  }
  std::vector<Batch> batches;
  for (const Step& part : parts) batches.push_back(make_batch(pairs, part));
  return batches;
}

Batch make_batch(const EncodedPairs& pairs, std::span<const uint32_t> step) {
  return {join(pairs, step, &EncodedPairs::source), join(pairs, step, &EncodedPairs::target)};
}

}  // namespace heed
