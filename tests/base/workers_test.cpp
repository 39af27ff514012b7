#include "heed/base/workers.h"

#include <gtest/gtest.h>

#include <numeric>

#include "error_of.h"
#include "heed/base/error.h"

namespace heed {
namespace {

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
