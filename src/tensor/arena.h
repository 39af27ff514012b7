// Memory for one step: allocated by moving a pointer, freed all at once. Memory that is returned
// earlier is reused while it is still in the cache.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "heed/base/memory.h"

namespace heed {

// Not thread-safe: each worker has its own.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised memory, aligned to a cache line, valid until `reset`: the block of this size that
  // was returned last, or fresh memory.
  void* allocate(size_t bytes);
  // Returns memory before the reset. Allocates nothing, so that destructors can call it.
  void release(void* memory, size_t bytes) noexcept;

  // Frees everything that was allocated. After the first steps of a steady workload, one block
  // holds a whole step and some more, and no more memory is requested from the system. If there is
  // no memory for that block, the next step requests it again. Under the address sanitizer, stale
  // memory is poisoned.
  void reset() noexcept;

  size_t used() const { return used_; }          // most bytes in use since the last reset
  size_t peak() const { return peak_; }          // the highest of all these
  size_t capacity() const { return capacity_; }  // bytes of address space held

 private:
  struct Block {
    Memory memory;
    size_t size;
  };
  void add_block(size_t bytes);

  std::vector<Block> blocks_;
  // The block of each size that was returned last; each begins with the address of the one before.
  // A size is entered when memory of it is handed out.
  std::unordered_map<size_t, void*> released_;
  size_t offset_ = 0;  // in the last block
  size_t used_ = 0;
  size_t peak_ = 0;
  size_t capacity_ = 0;
};

}  // namespace heed
