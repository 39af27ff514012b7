// Training examples as ids in little memory, and how they become training steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/base/random.h"
#include "heed/data/batch.h"

namespace heed {

// What a model reads and what it is to say, as ids: see Batch.
struct Example {
  std::span<const int32_t> source = {}, target = {};
  int32_t before = start_token;
  std::span<const int32_t> places = {};  // of the target's tokens in the source, or none
};

// All ids lie in one array.
class EncodedExamples {
 public:
  void add(const Example& example);
  // A pair of sentences, each of which gets the end-of-sentence id. The links are sorted.
  void add_pair(std::span<const int32_t> source, std::span<const int32_t> target,
                std::span<const TokenLink> links = {}, float weight = 1);

  size_t size() const { return places_.size(); }
  std::span<const int32_t> source(size_t example) const;
  std::span<const int32_t> target(size_t example) const;
  int32_t before(size_t example) const { return places_[example].before; }
  std::span<const int32_t> places(size_t example) const;
  std::span<const TokenLink> links(size_t example) const;  // within the pair
  float weight(size_t example) const { return places_[example].weight; }

  // The size of an example in a step: the tokens of its longer side.
  int64_t tokens(size_t example) const {
    return std::max(places_[example].source, places_[example].target);
  }

  // The cost of an example for a model: the tokens of both sides.
  int64_t cost(size_t example) const { return places_[example].source + places_[example].target; }

 private:
  struct Place {
    int64_t begin;
    int32_t source;  // tokens
    int32_t target;
    int32_t before;
    bool has_places;  // as many as tokens of the target, after these
    float weight;
    size_t links_end;
  };

  std::vector<int32_t> ids_;
  std::vector<TokenLink> links_;
  std::vector<Place> places_;
};

// The numbers of the examples of a step.
using Step = std::vector<uint32_t>;

// Puts every example into one step of at most `most_tokens` (see EncodedExamples::tokens). The
// examples are shuffled; if grouped by length they are then sorted by it, so that a step has
// sentences of about the same length. The steps are of about the same size, and shuffled.
std::vector<Step> make_steps(const EncodedExamples& examples, int64_t most_tokens,
                             bool group_by_length, RandomKey key);

// The examples of a step as that many batches of about the same cost. Some may be empty if there
// are few examples.
std::vector<Batch> make_shards(const EncodedExamples& examples, const Step& step, int shards);

// The examples of a step as one batch, in their order.
Batch make_batch(const EncodedExamples& examples, std::span<const uint32_t> step);

// Shuffles the numbers; the order depends only on the key.
template <typename Number>
void shuffle(std::vector<Number>& numbers, RandomKey key) {
  Rng rng(key);
  for (size_t left = numbers.size(); left > 1; --left)
    std::swap(numbers[left - 1], numbers[rng.below(left)]);
}

}  // namespace heed
