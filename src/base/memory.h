// Memory for arrays of numbers.
#pragma once

#include <cstddef>
#include <memory>

namespace heed {

inline constexpr size_t cache_line = 64;

class FreeMemory {
 public:
  FreeMemory() = default;
  explicit FreeMemory(size_t mapped) : mapped_(mapped) {}
  void operator()(std::byte* memory) const noexcept;

 private:
  size_t mapped_ = 0;  // bytes; 0 for memory from the heap
};

using Memory = std::unique_ptr<std::byte, FreeMemory>;

// Uninitialised memory, aligned to a cache line. Pages that are never touched cost nothing. Large
// blocks use large pages if the system has them, which are faster to map and to address, and are
// returned to the system when freed.
Memory allocate_memory(size_t bytes);

}  // namespace heed
