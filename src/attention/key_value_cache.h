// The keys and values of the tokens so far, for decoding step by step without computing them again.
#pragma once

#include <cstdint>
#include <span>

#include "heed/tensor/tensor.h"

namespace heed {

// A batch of sequences that grow together. Room doubles when it runs out, so a step costs only its own
// tokens.
class KeyValueCache {
 public:
  KeyValueCache(int64_t sequences, int64_t key_width, int64_t value_width, Type type = Type::float32);
  // A copy has its own numbers: both may grow on in different ways.
  KeyValueCache(const KeyValueCache& other);
  KeyValueCache(KeyValueCache&&) = default;
  KeyValueCache& operator=(KeyValueCache other);

  int64_t sequences() const { return keys_.shape()[0]; }
  int64_t length() const { return length_; }

  // keys (sequences × new tokens, key width), values likewise: the next tokens of each sequence.
  void append(const Tensor& keys, const Tensor& values);

  // Sequence i becomes a copy of what sequence `from[i]` was: beam search keeps, drops and copies hypotheses.
  void select(std::span<const int64_t> from);

  // (sequences, room, width): rows from `length` on are unused, and some numbers.
  const Tensor& keys() const { return keys_; }
  const Tensor& values() const { return values_; }

 private:
  Tensor keys_;
  Tensor values_;
  Tensor spare_keys_, spare_values_;  // what select() writes to; may be absent
  int64_t length_ = 0;
};

}  // namespace heed
