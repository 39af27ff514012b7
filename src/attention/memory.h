// A soft dictionary: values stored under keys and looked up by similarity instead of equality.
#pragma once

#include "heed/attention/attend.h"

namespace heed {

class KeyValueMemory {
 public:
  // keys (entries, key width), values (entries, value width).
  KeyValueMemory(Tensor keys, Tensor values);

  int64_t entries() const { return keys_.shape()[0]; }
  Tensor& keys() { return keys_; }
  Tensor& values() { return values_; }

  // queries (queries, query width) -> output (queries, value width) and weights (queries, entries).
  // Keys and values are watched, so that the memory itself can learn: read their gradients with
  // Tape::gradient_of.
  Attended look_up(const Variable& queries, const Score& score = ScaledDot{}) const;

 private:
  Tensor keys_;
  Tensor values_;
};

}  // namespace heed
