// The keys and values of the tokens so far, so that decoding need not compute them again at each
// step.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heed/autograd/tape.h"

namespace heed {

// A batch of sequences that grow together. Tokens stay where they were put: beam search, which
// keeps, drops and copies sequences at every step, only changes which tokens belong to which
// sequence.
class KeyValueCache {
 public:
  // The memory comes from the tape, which must live longer; without a tape, each block has its own.
  KeyValueCache(int64_t sequences, int64_t key_width, int64_t value_width,
                Type type = Type::float32, Tape* memory = nullptr);

  int64_t sequences() const { return sequences_; }
  int64_t length() const { return static_cast<int64_t>(places_.size()); }

  // keys (sequences × new tokens, key width), values likewise: the next tokens of each sequence.
  void append(const Tensor& keys, const Tensor& values);

  // Sequence i becomes a copy of what sequence `from[i]` was.
  void select(std::span<const int64_t> from);

  // All tokens so far, copied together: (sequences, length, width).
  Tensor keys() const { return gathered(keys_, key_width_); }
  Tensor values() const { return gathered(values_, value_width_); }

  // Writes pointers to the keys and values of each token of a sequence; both arrays have `length`
  // elements. float32 only.
  void locate(int64_t sequence, std::span<const float*> keys, std::span<const float*> values) const;

 private:
  // Where the tokens at one position are: sequence i has row `rows[i]` of a block.
  struct Place {
    size_t block;
    std::vector<int64_t> rows;
  };

  Tensor kept(const Tensor& block) const;
  Tensor gathered(const std::vector<Tensor>& blocks, int64_t width) const;

  int64_t sequences_, key_width_, value_width_;
  Type type_;
  Tape* memory_;
  std::vector<Tensor> keys_, values_;  // one block per call of append
  std::vector<Place> places_;          // of each position
};

}  // namespace heed
