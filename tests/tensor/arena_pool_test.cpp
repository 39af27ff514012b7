#include "heed/tensor/arena_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace heed {
namespace {

TEST(ArenaPool, LendsWhatCameBackLast) {
  const std::shared_ptr<ArenaPool> pool = ArenaPool::make();
  std::shared_ptr<Arena> first = pool->borrow(), second = pool->borrow();
  EXPECT_NE(first.get(), second.get());
  const Arena* last = first.get();
  second.reset();
  first.reset();
  EXPECT_EQ(pool->borrow().get(), last);
}

TEST(ArenaPool, LendsEmptyArenasThatKeepTheirMemory) {
  const std::shared_ptr<ArenaPool> pool = ArenaPool::make();
  void* memory = nullptr;
  size_t capacity = 0;
  {
    const std::shared_ptr<Arena> arena = pool->borrow();
    memory = arena->allocate(1000);
    capacity = arena->capacity();
  }
  const std::shared_ptr<Arena> again = pool->borrow();
  EXPECT_EQ(again->used(), 0u);
  EXPECT_EQ(again->capacity(), capacity);
  EXPECT_EQ(again->allocate(1000), memory);
}

TEST(ArenaPool, LivesAsLongAsWhatItHasLent) {
  std::shared_ptr<ArenaPool> pool = ArenaPool::make();
  const std::shared_ptr<Arena> arena = pool->borrow();
  pool.reset();
  std::memset(arena->allocate(100), 1, 100);
}

TEST(ArenaPool, ServesThreadsAtTheSameTime) {
  const std::shared_ptr<ArenaPool> pool = ArenaPool::make();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&pool, t] {
      for (int i = 0; i < 1000; ++i) {
        const std::shared_ptr<Arena> arena = pool->borrow();
        auto* bytes = static_cast<unsigned char*>(arena->allocate(64));
        std::memset(bytes, t, 64);
        EXPECT_EQ(bytes[63], t);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heed
