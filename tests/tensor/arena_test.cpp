#include "heed/tensor/arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {

int system_allocations = 0;

}  // namespace

// The program is linked with --wrap for these two, so every block that an arena requests from the
// system passes through here.
extern "C" void* __real_aligned_alloc(size_t alignment, size_t bytes);
extern "C" void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  ++system_allocations;
  return __real_aligned_alloc(alignment, bytes);
}
extern "C" void* __real_mmap(void* at, size_t bytes, int protection, int flags, int file,
                             off_t offset);
extern "C" void* __wrap_mmap(void* at, size_t bytes, int protection, int flags, int file,
                             off_t offset) {
  ++system_allocations;
  return __real_mmap(at, bytes, protection, flags, file, offset);
}

// By default, the sanitizers abort if an allocation fails.
extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace heed {
namespace {

// Requests of many sizes, some larger than a block, as one step of training makes them.
std::vector<void*> run_step(Arena& arena) {
  std::vector<void*> addresses;
  for (const size_t bytes : {1u, 64u, 65u, 4096u, 3000000u, 100u, 900000u, 900000u, 5000000u, 7u})
    addresses.push_back(arena.allocate(bytes));
  return addresses;
}

TEST(Arena, HoldsNothingBeforeTheFirstRequest) {
  const Arena arena;
  EXPECT_EQ(arena.used(), 0u);
  EXPECT_EQ(arena.capacity(), 0u);
}

TEST(Arena, AlignsToCacheLines) {
  Arena arena;
  for (const void* address : run_step(arena))
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % cache_line, 0u);
}

TEST(Arena, GivesEveryRequestItsOwnMemory) {
  Arena arena;
  std::vector<std::pair<unsigned char*, size_t>> given;
  for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 3 + 1)
    given.emplace_back(static_cast<unsigned char*>(arena.allocate(bytes)), bytes);
  for (size_t i = 0; i < given.size(); ++i)
    std::memset(given[i].first, static_cast<int>(i), given[i].second);
  for (size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(given[i].first[0], i);
    EXPECT_EQ(given[i].first[given[i].second - 1], i);
  }
}

TEST(Arena, GivesDistinctAddressesForRequestsOfNothing) {
  Arena arena;
  void* first = arena.allocate(0);
  EXPECT_NE(first, nullptr);
  EXPECT_NE(first, arena.allocate(0));
}

TEST(Arena, CountsWholeCacheLines) {
  Arena arena;
  arena.allocate(1);
  EXPECT_EQ(arena.used(), 64u);
  arena.allocate(65);
  EXPECT_EQ(arena.used(), 64u + 128u);
  EXPECT_GE(arena.capacity(), arena.used());
  arena.reset();
  EXPECT_EQ(arena.used(), 0u);
}

TEST(Arena, SharesOneBlockAmongSmallRequests) {
  Arena arena;
  system_allocations = 0;
  for (int i = 0; i < 1000; ++i) arena.allocate(100);
  EXPECT_EQ(system_allocations, 1);
}

TEST(Arena, WastesLittleOnALargeRequest) {
  Arena arena;
  arena.allocate(size_t{1} << 26);
  EXPECT_LE(arena.capacity(), (size_t{1} << 26) + 64);
}

TEST(Arena, AsksTheSystemForNothingAfterTheFirstStep) {
  Arena arena;
  run_step(arena);
  arena.reset();
  const size_t capacity = arena.capacity();
  system_allocations = 0;
  const std::vector<void*> first = run_step(arena);
  for (int step = 0; step < 5; ++step) {
    arena.reset();
    EXPECT_EQ(run_step(arena), first);
  }
  EXPECT_EQ(system_allocations, 0);
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, GrowsWhenALaterStepNeedsMoreAndKeepsThat) {
  Arena arena;
  arena.allocate(1000);
  arena.reset();
  run_step(arena);
  const size_t used = arena.used();
  arena.reset();
  EXPECT_GE(arena.capacity(), used);
  system_allocations = 0;
  run_step(arena);
  arena.reset();
  EXPECT_EQ(system_allocations, 0);
}

TEST(Arena, AsksTheSystemForNothingWhenAStepNeedsALittleMore) {
  Arena arena;
  run_step(arena);
  arena.reset();
  const size_t peak = arena.peak();
  system_allocations = 0;
  for (size_t step = 0; step < 5; ++step) {
    run_step(arena);
    arena.allocate(step * 100000);
    arena.reset();
  }
  EXPECT_EQ(system_allocations, 0);
  EXPECT_EQ(arena.peak(), peak + 400000);
}

TEST(Arena, GivesOutAgainWhatWasReleasedLast) {
  Arena arena;
  void* first = arena.allocate(100);
  void* second = arena.allocate(128);
  void* other = arena.allocate(1000);
  const size_t used = arena.used();
  arena.release(first, 100);
  arena.release(other, 1000);
  arena.release(second, 128);
  EXPECT_EQ(arena.allocate(90), second);  // the same number of cache lines
  EXPECT_EQ(arena.allocate(100), first);
  EXPECT_EQ(arena.allocate(1000), other);
  EXPECT_EQ(arena.used(), used);
}

TEST(Arena, ForgetsWhatWasReleasedWhenItIsReset) {
  Arena arena;
  arena.allocate(64);
  void* released = arena.allocate(64);
  arena.release(released, 64);
  arena.reset();
  EXPECT_NE(arena.allocate(64), released);
  EXPECT_EQ(arena.allocate(64), released);
}

TEST(Arena, RefusesWhatTheSystemCannotGive) {
  Arena arena;
  EXPECT_THROW(arena.allocate(std::numeric_limits<size_t>::max()), std::bad_alloc);
  EXPECT_THROW(arena.allocate(std::numeric_limits<size_t>::max() / 2), std::bad_alloc);
  EXPECT_NE(arena.allocate(10), nullptr);
}

#if defined(__SANITIZE_ADDRESS__)

TEST(ArenaUnderTheAddressSanitizer, PoisonsWhatWasNotHandedOut) {
  Arena arena;
  auto* memory = static_cast<char*>(arena.allocate(100));
  EXPECT_EQ(__asan_region_is_poisoned(memory, 100), nullptr);
  EXPECT_TRUE(__asan_address_is_poisoned(memory + 100));
  EXPECT_TRUE(__asan_address_is_poisoned(memory + 128));
}

TEST(ArenaUnderTheAddressSanitizer, PoisonsWhatWasFreedAndUnpoisonsWhatIsHandedOutAgain) {
  Arena arena;
  auto* stale = static_cast<char*>(arena.allocate(100));
  arena.reset();
  EXPECT_TRUE(__asan_address_is_poisoned(stale));
  EXPECT_EQ(arena.allocate(10), stale);
  EXPECT_FALSE(__asan_address_is_poisoned(stale + 9));
  EXPECT_TRUE(__asan_address_is_poisoned(stale + 10));
}

TEST(ArenaUnderTheAddressSanitizer, PoisonsWhatWasReleased) {
  Arena arena;
  auto* released = static_cast<char*>(arena.allocate(100));
  arena.release(released, 100);
  EXPECT_TRUE(__asan_address_is_poisoned(released));
  EXPECT_EQ(arena.allocate(100), released);
  EXPECT_EQ(__asan_region_is_poisoned(released, 100), nullptr);
}

TEST(ArenaUnderTheAddressSanitizerDeathTest, CatchesAReadOfStaleMemory) {
  Arena arena;
  auto* stale = static_cast<volatile int*>(arena.allocate(sizeof(int)));
  *stale = 1;
  arena.reset();
  EXPECT_DEATH((void)*stale, "use-after-poison");
}

#endif

}  // namespace
}  // namespace heed
