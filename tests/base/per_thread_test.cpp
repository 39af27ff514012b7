#include "heed/base/per_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace heed {
namespace {

std::atomic<int> alive = 0;

struct Counted {
  Counted() { ++alive; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --alive; }
  int value = 0;
};

struct AnotherPurpose {};

TEST(PerThread, IsTheSameForAThreadAndAPurpose) {
  per_thread<Counted>().value = 1;
  per_thread<Counted, AnotherPurpose>().value = 2;
  EXPECT_EQ(per_thread<Counted>().value, 1);
  EXPECT_EQ((per_thread<Counted, AnotherPurpose>().value), 2);
}

TEST(PerThread, IsMadeForEachThreadAndEndsWithIt) {
  per_thread<Counted>().value = 1;
  const int before = alive;
  std::thread([&] {
    EXPECT_EQ(alive, before);
    EXPECT_EQ(per_thread<Counted>().value, 0);
    EXPECT_EQ(alive, before + 1);
    per_thread<Counted>().value = 3;
  }).join();
  EXPECT_EQ(alive, before);
  EXPECT_EQ(per_thread<Counted>().value, 1);
}

}  // namespace
}  // namespace heed
