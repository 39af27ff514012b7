#include "heed/base/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#include "heed/base/round_up.h"
#include "heed/base/sanitizer.h"

namespace heed {

namespace {

constexpr size_t large_page = size_t{1} << 21;

// The address sanitizer checks the bounds of heap memory, so with it everything comes from the
// heap.
#ifdef HEED_ADDRESS_SANITIZER
constexpr bool ends_are_watched = true;
#else
constexpr bool ends_are_watched = false;
#endif

size_t whole_units(size_t bytes, size_t unit) {
  if (bytes > std::numeric_limits<size_t>::max() - unit) throw std::bad_alloc();
  return round_up(bytes, unit);
}

Memory from_heap(size_t bytes) {
  void* memory =
      std::aligned_alloc(cache_line, whole_units(std::max<size_t>(bytes, 1), cache_line));
  if (memory == nullptr) throw std::bad_alloc();
  return Memory(static_cast<std::byte*>(memory));
}

// Whole large pages: one more is mapped than needed, and what lies before the first and after the
// last is returned.
Memory from_large_pages(size_t bytes) {
  const size_t size = whole_units(bytes, large_page);
  const size_t mapped = whole_units(size + 1, large_page);
  void* start = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  auto* first = static_cast<std::byte*>(start);
  const size_t before = (large_page - reinterpret_cast<uintptr_t>(first) % large_page) % large_page;
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + size, mapped - before - size);
  ::madvise(first + before, size,
            MADV_HUGEPAGE);  // a hint: without large pages, small ones will do
  return Memory(first + before, FreeMemory(size));
}

}  // namespace

void FreeMemory::operator()(std::byte* memory) const noexcept {
  if (mapped_ == 0)
    std::free(memory);
  else
    ::munmap(memory, mapped_);
}

Memory allocate_memory(size_t bytes) {
  return bytes >= large_page && !ends_are_watched ? from_large_pages(bytes) : from_heap(bytes);
}

}  // namespace heed
