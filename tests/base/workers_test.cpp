#include "heed/base/workers.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <numeric>

#include "error_of.h"
#include "heed/base/error.h"

namespace heed {
namespace {

// As taskset, a batch system or mpirun may choose them.
TEST(Workers, CountTheCoresThatTheProcessMayUse) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
  EXPECT_EQ(core_count(), CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core)
    if (CPU_ISSET(core, &all)) CPU_SET(core, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(core_count(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
}

TEST(Workers, DoEveryTaskOnce) {
  for (const int count : {1, 2, 5}) {
    Workers workers(count);
    EXPECT_EQ(workers.count(), count);
    for (const int64_t tasks : {0, 1, 3, 1000}) {
      std::vector<int> done(static_cast<size_t>(tasks));
      workers.run(tasks, [&](int64_t task, int worker) {
        EXPECT_TRUE(worker >= 0 && worker < count);
        ++done[static_cast<size_t>(task)];
      });
      EXPECT_EQ(done, std::vector<int>(static_cast<size_t>(tasks), 1));
    }
  }
}

TEST(Workers, HandOnTheFirstExceptionAndGoOnWorking) {
  Workers workers(3);
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(testing::error_of([&] {
                workers.run(10,
                            [](int64_t task, int) { require(task != 4, "task {} failed", task); });
              }),
              "task 4 failed");
  std::atomic<int> done = 0;
  workers.run(10, [&](int64_t, int) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST(Workers, NeedAtLeastOneThread) {
  EXPECT_EQ(testing::error_of([] { Workers none(0); }),
            "workers: 0 threads but at least 1 was expected");
}

}  // namespace
}  // namespace heed
