// Memory for one step: allocated by moving a pointer, freed all at once; what is given back earlier is used
// again while the caches still hold it.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heed {

// Not for use by several threads at once: each worker has its own.
class Arena {
 public:
  static constexpr size_t alignment = 64;

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Uninitialised memory, aligned to a cache line, valid until `reset`: what was given back last among the
  // memory of this size, or some that was not in use since the reset.
  void* allocate(size_t bytes);
  // Gives memory back before the reset.
  void release(void* memory, size_t bytes);

  // Frees everything that was allocated. After the first step of a steady workload there is one block that
  // holds a whole step, and no further call to malloc. Under the address sanitizer, stale memory is poisoned.
  void reset();

  size_t used() const { return used_; }          // bytes that were ever in use since the last reset
  size_t capacity() const { return capacity_; }  // bytes held

 private:
  struct Block {
    std::unique_ptr<std::byte, void (*)(void*)> memory;
    size_t size;
  };
  void add_block(size_t bytes);

  std::vector<Block> blocks_;
  std::unordered_map<size_t, std::vector<void*>> released_;  // by size
  size_t offset_ = 0;                                        // in the last block
  size_t used_ = 0;
  size_t capacity_ = 0;
};

}  // namespace heed
