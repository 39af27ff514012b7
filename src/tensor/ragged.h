// Sequences of different lengths, laid end to end without padding.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heed/tensor/tensor.h"

namespace heed {

// Where each sequence of a batch begins and ends among all tokens: sequence s is rows [begin(s),
// end(s)) of a (tokens, width) tensor. Cheap to copy.
class Ragged {
 public:
  Ragged() : Ragged(std::vector<int64_t>{}) {}
  explicit Ragged(const std::vector<int64_t>& lengths);

  int64_t sequences() const { return static_cast<int64_t>(offsets_->size()) - 1; }
  int64_t tokens() const { return offsets_->back(); }
  int64_t begin(int64_t sequence) const { return (*offsets_)[sequence]; }
  int64_t end(int64_t sequence) const { return (*offsets_)[static_cast<size_t>(sequence) + 1]; }
  int64_t length(int64_t sequence) const { return end(sequence) - begin(sequence); }
  int64_t longest() const { return longest_; }
  std::span<const int64_t> offsets() const { return *offsets_; }

  bool operator==(const Ragged& other) const { return *offsets_ == *other.offsets_; }

 private:
  std::shared_ptr<const std::vector<int64_t>> offsets_;
  int64_t longest_ = 0;
};

// (batch, length, width) with a valid length per sequence -> (tokens, width), and back with zeros
// as padding.
Tensor pack_sequences(const Tensor& dense, const Ragged& layout);
Tensor pad_sequences(const Tensor& tokens, const Ragged& layout);

}  // namespace heed
