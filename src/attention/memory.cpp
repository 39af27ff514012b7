#include "heed/attention/memory.h"

#include <utility>

#include "heed/base/error.h"

namespace heed {

KeyValueMemory::KeyValueMemory(Tensor keys, Tensor values)
    : keys_(std::move(keys)), values_(std::move(values)) {
  require(keys_.shape().rank() == 2 && values_.shape().rank() == 2 &&
              keys_.shape()[0] == values_.shape()[0],
          "memory: keys {} and values {} do not pair up", keys_.shape(), values_.shape());
}

Attended KeyValueMemory::look_up(const Variable& queries, const Score& score) const {
  Tape& tape = queries.tape();
  return attend({.queries = queries,
                 .keys = tape.watch(keys_),
                 .values = tape.watch(values_),
                 .score = score,
                 .want_weights = true});
}

}  // namespace heed
