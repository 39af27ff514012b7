#include "heed/tensor/arena.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "heed/base/round_up.h"
#include "heed/base/sanitizer.h"
#ifdef HEED_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace heed {

namespace {

constexpr size_t smallest_block = size_t{1} << 20;

size_t whole_lines(size_t bytes) { return round_up(bytes, cache_line); }

void poison([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef HEED_ADDRESS_SANITIZER
  ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

void unpoison([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#ifdef HEED_ADDRESS_SANITIZER
  ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

}  // namespace

void* Arena::allocate(size_t bytes) {
  const size_t rounded = whole_lines(std::max<size_t>(bytes, 1));
  if (rounded < bytes) throw std::bad_alloc();
  if (void*& released = released_[rounded]; released != nullptr) {
    void* memory = released;
    unpoison(memory, rounded);
    std::memcpy(&released, memory, sizeof(void*));
    poison(memory, rounded);
    unpoison(memory, bytes);
    return memory;
  }
  if (blocks_.empty() || blocks_.back().size - offset_ < rounded) add_block(rounded);
  std::byte* memory = blocks_.back().memory.get() + offset_;
  offset_ += rounded;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  unpoison(memory, bytes);
  return memory;
}

void Arena::release(void* memory, size_t bytes) noexcept {
  const size_t rounded = whole_lines(std::max<size_t>(bytes, 1));
  const auto released = released_.find(rounded);
  assert(released != released_.end());
  unpoison(memory, rounded);
  std::memcpy(memory, &released->second, sizeof(void*));
  released->second = memory;
  poison(memory, rounded);
}

void Arena::add_block(size_t bytes) {
  // Small requests share growing blocks; a large one gets a block of just its size, so that little
  // is wasted.
  const size_t size =
      whole_lines(std::max({bytes, smallest_block, bytes > capacity_ / 8 ? bytes : capacity_ / 8}));
  blocks_.push_back({allocate_memory(size), size});
  poison(blocks_.back().memory.get(), size);
  offset_ = 0;
  capacity_ += size;
}

void Arena::reset() noexcept {
  released_.clear();
  if (blocks_.size() > 1) {
    // The step did not fit into one block. The next one will, even if it needs a little more.
    const size_t needed = used_;
    blocks_.clear();
    capacity_ = 0;
    try {
      add_block(needed + needed / 4);
    } catch (const std::bad_alloc&) {
      // Nor is it needed yet.
    }
  }
  for (const Block& block : blocks_) poison(block.memory.get(), block.size);
  offset_ = 0;
  used_ = 0;
}

}  // namespace heed
