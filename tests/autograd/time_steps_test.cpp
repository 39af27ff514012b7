#include "heed/autograd/time_steps.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

TEST(TimeSteps, TheLongestSequenceRunsFirstAndLast) {
  const TimeSteps steps(Ragged({2, 0, 3, 2}));
  EXPECT_EQ(steps.steps(), 3);
  EXPECT_EQ(steps.sequence(0), 2);
  EXPECT_EQ(steps.sequence(1), 0);
  EXPECT_EQ(steps.sequence(2), 3);
  EXPECT_EQ(steps.sequence(3), 1);
  EXPECT_EQ(steps.running(0), 3);
  EXPECT_EQ(steps.running(1), 3);
  EXPECT_EQ(steps.running(2), 1);
  EXPECT_EQ(steps.running(3), 0);
  EXPECT_EQ(steps.first(2), 6);
  EXPECT_EQ(steps.first(3), 7);
}

TEST(TimeSteps, EachDirectionReadsEachTokenOnceAndInItsOrder) {
  const Ragged layout({2, 0, 3, 2});
  const TimeSteps steps(layout);
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    std::set<int64_t> seen;
    for (int64_t step = 0; step < steps.steps(); ++step)
      for (int64_t rank = 0; rank < steps.running(step); ++rank)
        seen.insert(steps.token(step, rank, direction));
    EXPECT_EQ(seen.size(), 7u);
  }
  EXPECT_EQ(steps.token(0, 0, Direction::forward), layout.begin(2));
  EXPECT_EQ(steps.token(0, 0, Direction::reverse), layout.end(2) - 1);
  EXPECT_EQ(steps.token(2, 0, Direction::reverse), layout.begin(2));
}

TEST(TimeSteps, NothingToDo) {
  EXPECT_EQ(TimeSteps(Ragged()).steps(), 0);
  EXPECT_EQ(TimeSteps(Ragged({0, 0})).steps(), 0);
  EXPECT_EQ(TimeSteps(Ragged({0, 0})).running(0), 0);
}

}  // namespace
}  // namespace heed
