// Sentence pairs as ids in little memory, and how they become training steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/batch.h"

namespace heed {

// All ids lie in one array. Each sentence ends with the end-of-sentence id.
class EncodedPairs {
 public:
  void add(std::span<const int32_t> source, std::span<const int32_t> target);

  size_t size() const { return places_.size(); }
  std::span<const int32_t> source(size_t pair) const;
  std::span<const int32_t> target(size_t pair) const;

  // The size of a pair in a step: the tokens of its longer side.
  int64_t tokens(size_t pair) const { return std::max(places_[pair].source, places_[pair].target); }

  // The cost of a pair for a model: the tokens of both sides.
  int64_t cost(size_t pair) const { return places_[pair].source + places_[pair].target; }

 private:
  struct Place {
    int64_t begin;
    int32_t source;  // tokens
    int32_t target;
  };

  std::vector<int32_t> ids_;
  std::vector<Place> places_;
};

// The numbers of the pairs of a step.
using Step = std::vector<uint32_t>;

// Puts every pair into one step of at most `most_tokens`, where the tokens of a pair are those of
// its longer side. The pairs are shuffled; if grouped by length they are then sorted by it, so that
// a step has sentences of about the same length. The steps are of about the same size, and
// shuffled.
std::vector<Step> make_steps(const EncodedPairs& pairs, int64_t most_tokens, bool group_by_length,
                             RandomKey key);

// The pairs of a step as that many batches of about the same cost. Some may be empty if there are
// few pairs.
std::vector<Batch> make_shards(const EncodedPairs& pairs, const Step& step, int shards);

// The pairs of a step as one batch, in their order.
Batch make_batch(const EncodedPairs& pairs, std::span<const uint32_t> step);

// Shuffles the numbers; the order depends only on the key.
template <typename Number>
void shuffle(std::vector<Number>& numbers, RandomKey key) {
  Rng rng(key);
  for (size_t left = numbers.size(); left > 1; --left)
    std::swap(numbers[left - 1], numbers[rng.below(left)]);
}

}  // namespace heed
