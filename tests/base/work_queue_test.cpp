#include "heed/base/work_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "error_of.h"
#include "heed/base/error.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::run_ranks;
using heed::testing::ThreadCommunicator;

// Tasks "0", "1", …; their results are taken into a list.
class Counting {
 public:
  explicit Counting(int tasks) : tasks_(tasks) {}

  std::optional<std::string> next() {
    farthest = std::max(farthest, next_ - static_cast<int>(taken.size()));
    if (next_ == tasks_) return {};
    return std::to_string(next_++);
  }

  std::vector<std::string> expected() const {
    std::vector<std::string> all;
    for (int i = 0; i < tasks_; ++i) all.push_back("did " + std::to_string(i));
    return all;
  }

  std::vector<std::string> taken;
  int farthest = 0;  // tasks ahead of the next one to take

 private:
  int tasks_, next_ = 0;
};

SharedWork work_on(Counting& counting) {
  return {.next = [&] { return counting.next(); },
          .work = [](const std::string& task) { return "did " + task; },
          .take = [&](const std::string& result) { counting.taken.push_back(result); }};
}

TEST(WorkQueue, TakesTheResultsInOrderOnAnyNumberOfRanks) {
  for (const int count : {1, 2, 3, 8})
    for (const int tasks : {0, 1, 5, 100}) {
      Counting counting(tasks);
      SharedWork work = work_on(counting);
      // Some take longer than others.
      work.work = [](const std::string& task) {
        if (task.back() == '3') std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return "did " + task;
      };
      run_ranks(count, [&](Communicator& ranks) { share_work(ranks, work); });
      EXPECT_EQ(counting.taken, counting.expected()) << count << " ranks";
    }
}

TEST(WorkQueue, RunsWithoutOtherRanks) {
  Counting counting(20);
  share_work(alone(), work_on(counting));
  EXPECT_EQ(counting.taken, counting.expected());
}

TEST(WorkQueue, KeepsEveryRankAtWorkWhileOneIsSlow) {
  Counting counting(60);
  SharedWork work = work_on(counting);
  std::array<std::atomic<int>, 2> done = {};
  run_ranks(2, [&](Communicator& ranks) {
    SharedWork own = work;
    own.work = [&](const std::string& task) {
      std::this_thread::sleep_for(std::chrono::milliseconds(ranks.is_first() ? 1 : 40));
      ++done[static_cast<size_t>(ranks.rank())];
      return "did " + task;
    };
    share_work(ranks, own);
  });
  EXPECT_EQ(counting.taken, counting.expected());
  EXPECT_GE(done[1], 1);
  EXPECT_GT(done[0], 2 * done[1]);
}

TEST(WorkQueue, DoesNotReadFarAhead) {
  Counting counting(200);
  SharedWork work = work_on(counting);
  work.work = [](const std::string& task) {
    if (task == "0") std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return "did " + task;
  };
  run_ranks(2, [&](Communicator& ranks) { share_work(ranks, work); });
  EXPECT_EQ(counting.taken, counting.expected());
  EXPECT_LE(counting.farthest, 32);
}

TEST(WorkQueue, WaitsForTheNextTaskOnlyWhenThereIsNothingElseToDo) {
  Counting counting(3);
  SharedWork work = work_on(counting);
  work.is_ready = [] { return false; };
  run_ranks(2, [&](Communicator& ranks) { share_work(ranks, work); });
  EXPECT_EQ(counting.taken, counting.expected());
  EXPECT_EQ(counting.farthest, 0);
}

TEST(WorkQueue, FailsWhereTheWorkFails) {
  for (const int failing : {0, 1}) {
    Counting counting(20);
    SharedWork work = work_on(counting);
    EXPECT_EQ(error_of([&] {
                run_ranks(2, [&](Communicator& ranks) {
                  SharedWork own = work;
                  own.work = [&](const std::string& task) {
                    if (ranks.rank() == failing) fail("rank {} cannot", failing);
                    return task;
                  };
                  share_work(ranks, own);
                });
              }),
              "rank " + std::to_string(failing) + " cannot");
  }
}

TEST(WorkQueue, FailsWhereAResultIsNotTaken) {
  Counting counting(20);
  SharedWork work = work_on(counting);
  work.take = [](const std::string&) { fail("no room"); };
  EXPECT_EQ(error_of([&] { run_ranks(3, [&](Communicator& ranks) { share_work(ranks, work); }); }),
            "no room");
}

}  // namespace
}  // namespace heed
