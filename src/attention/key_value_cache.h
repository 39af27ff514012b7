// The keys and values of the tokens so far, so that decoding need not compute them again at each
// step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/ragged.h"
#include "heed/tensor/tensor.h"

namespace heed {

struct CacheSizes {
  int64_t layers = 1;
  // Of one token in one layer. Without values, a token has a key alone.
  int64_t key_width = 0, value_width = 0;
};

// Sequences that come, grow, each at its own pace, and go. One index serves all layers of a stack.
// A token stays where it was put: beam search, which keeps, drops and copies sequences at every
// step, only changes which tokens belong to which sequence. Places of tokens that belong to none
// are used again. Of float32.
class KeyValueCache {
 public:
  explicit KeyValueCache(const CacheSizes& sizes, int64_t sequences = 0);

  int64_t sequences() const { return static_cast<int64_t>(places_.size()); }
  int64_t length(int64_t sequence) const;  // tokens so far, with those that `grow` has added
  int64_t longest() const;                 // of all

  // So many more sequences, without a token, after those that are there.
  void add(int64_t sequences);

  // Sequence i becomes a copy of what sequence `from[i]` was; those that are not named are gone.
  void select(std::span<const int64_t> from);

  // Makes place for the next tokens of each sequence, sequence after sequence, in every layer.
  void grow(const Ragged& added);
  // What `grow` has added last, and where each sequence's part of it begins.
  const Ragged& added() const { return added_; }
  std::vector<int64_t> first_positions() const;
  // Puts the new tokens' keys and values into their places in one layer: (tokens, width) each.
  void store(int64_t layer, const Tensor& keys, const Tensor& values);

  // Where the keys and values of each token of a sequence stand in a layer, up to the size of the
  // spans.
  void locate(int64_t layer, int64_t sequence, std::span<const float*> keys,
              std::span<const float*> values) const;

  // The key of one token, to be read or written where it stands.
  std::span<float> key_of(int64_t layer, int64_t sequence, int64_t position) const {
    return {keys_at(layer, places_[static_cast<size_t>(sequence)][static_cast<size_t>(position)]),
            static_cast<size_t>(sizes_.key_width)};
  }

 private:
  using Place = int32_t;

  Place take_place();
  void give_back(std::span<const Place> places);
  float* keys_at(int64_t layer, Place place) const;
  float* values_at(int64_t layer, Place place) const;

  CacheSizes sizes_;
  std::vector<std::unique_ptr<float[]>> blocks_;  // of some places each, all layers together
  std::vector<int32_t> users_;                    // sequences that have each place's token
  std::vector<Place> free_;
  std::vector<std::vector<Place>> places_;  // of each sequence's tokens, in order
  Ragged added_;
};

}  // namespace heed
