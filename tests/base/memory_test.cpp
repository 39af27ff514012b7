#include "heed/base/memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

// By default, the sanitizers abort if an allocation fails.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace heed {
namespace {

constexpr size_t sizes[] = {0, 1, 63, 64, 65, 4096, (1 << 21) - 1, 1 << 21, (1 << 21) + 1, 9000001};

TEST(Memory, BeginsWithACacheLineAndCanBeWrittenToItsEnd) {
  for (const size_t size : sizes) {
    const Memory memory = allocate_memory(size);
    ASSERT_NE(memory.get(), nullptr) << size;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.get()) % cache_line, 0u) << size;
    std::memset(memory.get(), 1, size);
  }
}

TEST(Memory, PiecesAreApart) {
  std::vector<Memory> pieces;
  for (int i = 0; i < 4; ++i) {
    for (const size_t size : sizes) {
      pieces.push_back(allocate_memory(size));
      std::memset(pieces.back().get(), static_cast<int>(pieces.size()), size);
    }
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const size_t size = sizes[i % std::size(sizes)];
    if (size == 0) continue;
    EXPECT_EQ(static_cast<size_t>(pieces[i].get()[0]), i + 1);
    EXPECT_EQ(static_cast<size_t>(pieces[i].get()[size - 1]), i + 1);
  }
}

TEST(Memory, RefusesWhatTheSystemCannotGive) {
  EXPECT_THROW(allocate_memory(std::numeric_limits<size_t>::max()), std::bad_alloc);
  EXPECT_THROW(allocate_memory(std::numeric_limits<size_t>::max() / 2), std::bad_alloc);
}

}  // namespace
}  // namespace heed
