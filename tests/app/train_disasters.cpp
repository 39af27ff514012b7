// `heed train`, killed at many moments.
#include <gtest/gtest.h>

#include "killed_training.h"
#include "train_process.h"

namespace heed {
namespace {

using heed::testing::kill_runs;
using heed::testing::KilledTraining;
using heed::testing::SmallTraining;

constexpr int kills = 100;

TEST(TrainDisasters, EndsWithTheSameBytesAfterKillsAtAnyTime) {
  const int inside_a_write = kill_runs(SmallTraining(), kills);
  std::cout << inside_a_write << " of " << kills << " kills met a file that was being written\n";
  EXPECT_GT(inside_a_write, 0);
}

TEST(TrainDisasters, OtherTasksEndWithTheSameBytesAfterKillsAtAnyTime) {
  for (const char* task : {"language", "masked", "classify"}) {
    SCOPED_TRACE(task);
    kill_runs(SmallTraining(task), kills / 2);
  }
}

TEST(TrainDisasters, EndsWithTheSameBytesAfterKillsAmidItsWrites) {
  KilledTraining training;
  training.kill(kills);
  for (const auto& [call, count] : training.last_calls())
    std::cout << call << " was the last call of " << count << " runs\n";
  for (const char* call : {"create", "write", "fsync", "rename"})
    EXPECT_TRUE(training.last_calls().contains(call)) << call;
}

}  // namespace
}  // namespace heed
