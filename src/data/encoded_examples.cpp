#include "heed/data/encoded_examples.h"

#include <algorithm>
#include <numeric>

#include "heed/data/vocabulary.h"

namespace heed {

namespace {

enum Purpose : uint64_t { order_of_examples, order_of_steps };

std::vector<uint32_t> shuffled_pairs(const EncodedExamples& examples, bool group_by_length,
                                     RandomKey key) {
  std::vector<uint32_t> order(examples.size());
  std::iota(order.begin(), order.end(), 0u);
  shuffle(order, derive_key(key, order_of_examples));
  if (!group_by_length) return order;
  // Stable, so that the shuffle decides among those of equal length.
  std::ranges::stable_sort(order, {}, [&](uint32_t example) {
    return std::pair(examples.target(example).size(), examples.source(example).size());
  });
  return order;
}

// Cuts so that no part has more than `most` tokens, and wherever the tokens so far reach the next
// multiple of `even`.
std::vector<Step> cut(const EncodedExamples& examples, const std::vector<uint32_t>& order,
                      int64_t most, double even) {
  std::vector<Step> steps;
  int64_t before = 0, inside = 0;
  double next_cut = 0;
  for (const uint32_t example : order) {
    const int64_t tokens = examples.tokens(example);
    const bool reached = static_cast<double>(before + inside) >= next_cut;
    if (reached || inside + tokens > most) {
      steps.emplace_back();
      before += inside;
      inside = 0;
      if (reached) next_cut += even;
    }
    steps.back().push_back(example);
    inside += tokens;
  }
  return steps;
}

TokenBatch join(const EncodedExamples& examples, std::span<const uint32_t> step,
                std::span<const int32_t> (EncodedExamples::*side)(size_t) const) {
  TokenBatch batch;
  std::vector<int64_t> lengths;
  lengths.reserve(step.size());
  for (const uint32_t example : step) {
    const std::span<const int32_t> sentence = (examples.*side)(example);
    batch.ids.insert(batch.ids.end(), sentence.begin(), sentence.end());
    lengths.push_back(static_cast<int64_t>(sentence.size()));
  }
  batch.layout = Ragged(lengths);
  return batch;
}

}  // namespace

void EncodedExamples::add(const Example& example) {
  places_.push_back({static_cast<int64_t>(ids_.size()), static_cast<int32_t>(example.source.size()),
                     static_cast<int32_t>(example.target.size()), example.before,
                     !example.places.empty(), 1, links_.size()});
  for (const std::span<const int32_t> side : {example.source, example.target, example.places})
    ids_.insert(ids_.end(), side.begin(), side.end());
}

void EncodedExamples::add_pair(std::span<const int32_t> source, std::span<const int32_t> target,
                               std::span<const TokenLink> links, float weight) {
  links_.insert(links_.end(), links.begin(), links.end());
  places_.push_back({static_cast<int64_t>(ids_.size()), static_cast<int32_t>(source.size()) + 1,
                     static_cast<int32_t>(target.size()) + 1, start_token, false, weight,
                     links_.size()});
  for (const std::span<const int32_t> side : {source, target}) {
    ids_.insert(ids_.end(), side.begin(), side.end());
    ids_.push_back(Vocabulary::end);
  }
}

std::span<const int32_t> EncodedExamples::source(size_t example) const {
  return std::span(ids_).subspan(static_cast<size_t>(places_[example].begin),
                                 static_cast<size_t>(places_[example].source));
}

std::span<const int32_t> EncodedExamples::target(size_t example) const {
  return std::span(ids_).subspan(
      static_cast<size_t>(places_[example].begin + places_[example].source),
      static_cast<size_t>(places_[example].target));
}

std::span<const int32_t> EncodedExamples::places(size_t example) const {
  const Place& place = places_[example];
  return std::span(ids_).subspan(static_cast<size_t>(place.begin + place.source + place.target),
                                 place.has_places ? static_cast<size_t>(place.target) : 0);
}

std::span<const TokenLink> EncodedExamples::links(size_t example) const {
  const size_t begin = example == 0 ? 0 : places_[example - 1].links_end;
  return std::span(links_).subspan(begin, places_[example].links_end - begin);
}

std::vector<Step> make_steps(const EncodedExamples& examples, int64_t most_tokens,
                             bool group_by_length, RandomKey key) {
  const std::vector<uint32_t> order = shuffled_pairs(examples, group_by_length, key);
  const auto all = std::accumulate(
      order.begin(), order.end(), int64_t{0},
      [&](int64_t sum, uint32_t example) { return sum + examples.tokens(example); });
  // Filling every step would leave a small one at the end; equal steps do not.
  const size_t fewest = cut(examples, order, most_tokens, static_cast<double>(all) + 1).size();
  std::vector<Step> steps =
      cut(examples, order, most_tokens,
          static_cast<double>(all) / std::max(1.0, static_cast<double>(fewest)));
  shuffle(steps, derive_key(key, order_of_steps));
  return steps;
}

std::vector<Batch> make_shards(const EncodedExamples& examples, const Step& step, int shards) {
  Step by_cost = step;
  std::ranges::stable_sort(by_cost, std::greater(),
                           [&](uint32_t example) { return examples.cost(example); });
  // Each example, costliest first, goes to the shard with the least cost so far.
  std::vector<Step> parts(static_cast<size_t>(shards));
  std::vector<int64_t> costs(parts.size());
  for (const uint32_t example : by_cost) {
    const auto lightest = static_cast<size_t>(std::ranges::min_element(costs) - costs.begin());
    parts[lightest].push_back(example);
    costs[lightest] += examples.cost(example);
  }
  std::vector<Batch> batches;
  for (const Step& part : parts) batches.push_back(make_batch(examples, part));
  return batches;
}

Batch make_batch(const EncodedExamples& examples, std::span<const uint32_t> step) {
  Batch batch = {join(examples, step, &EncodedExamples::source),
                 join(examples, step, &EncodedExamples::target),
                 {},
                 {},
                 {},
                 {}};
  const auto follows_text = [&](uint32_t example) {
    return examples.before(example) != start_token;
  };
  if (std::ranges::any_of(step, follows_text))
    for (const uint32_t example : step) batch.before.push_back(examples.before(example));
  if (std::ranges::any_of(step, [&](uint32_t example) { return examples.weight(example) != 1; }))
    for (const uint32_t example : step) batch.weights.push_back(examples.weight(example));
  for (size_t i = 0; i < step.size(); ++i) {
    const auto sentence = static_cast<int64_t>(i);
    const auto source_begin = static_cast<int32_t>(batch.source.layout.begin(sentence)),
               target_begin = static_cast<int32_t>(batch.target.layout.begin(sentence));
    for (const int32_t place : examples.places(step[i]))
      batch.places.push_back(place + source_begin);
    for (const auto& [target, source] : examples.links(step[i]))
      batch.links.push_back({target_begin + target, source});
  }
  return batch;
}

}  // namespace heed
