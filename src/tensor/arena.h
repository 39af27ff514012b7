// Memory for one step: allocated by moving a pointer, freed all at once; what is given back earlier
// is used again while the caches still hold it.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "heed/base/memory.h"

namespace heed {

// Not for use by several threads at once: each worker has its own.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised memory, aligned to a cache line, valid until `reset`: what was given back last
  // among the memory of this size, or some that was not in use since the reset.
  void* allocate(size_t bytes);
  // Gives memory back before the reset. Asks for none, so that destructors can call it.
  void release(void* memory, size_t bytes) noexcept;

  // Frees everything that was allocated. After the first steps of a steady workload there is one
  // block with room for a whole step and some more, and the system is asked for nothing further.
  // Where there is no memory for that block, the next step asks again. Under the address sanitizer,
  // stale memory is poisoned.
  void reset() noexcept;

  size_t used() const { return used_; }          // bytes that were ever in use since the last reset
  size_t peak() const { return peak_; }          // the highest of all these
  size_t capacity() const { return capacity_; }  // bytes of address space held

 private:
  struct Block {
    Memory memory;
    size_t size;
  };
  void add_block(size_t bytes);

  std::vector<Block> blocks_;
  // By size, what was released last; each begins with the address of the one before it. A size is
  // here as soon as memory of it is given out.
  std::unordered_map<size_t, void*> released_;
  size_t offset_ = 0;  // in the last block
  size_t used_ = 0;
  size_t peak_ = 0;
  size_t capacity_ = 0;
};

}  // namespace heed
