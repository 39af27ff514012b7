#include "heed/training/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

constexpr ScheduleKind all_kinds[] = {ScheduleKind::inverse_square_root, ScheduleKind::cosine,
                                      ScheduleKind::linear, ScheduleKind::constant};

double rate(ScheduleKind kind, int64_t step, int64_t warm_up = 100, int64_t steps = 500) {
  return learning_rate({.kind = kind, .learning_rate = 2.0, .warm_up = warm_up, .steps = steps},
                       step);
}

TEST(Schedule, RisesInALineToTheHighestRate) {
  for (const ScheduleKind kind : all_kinds) {
    EXPECT_DOUBLE_EQ(rate(kind, 1), 0.02);
    EXPECT_DOUBLE_EQ(rate(kind, 50), 1.0);
    EXPECT_DOUBLE_EQ(rate(kind, 100), 2.0);
    for (int64_t step = 2; step <= 100; ++step) EXPECT_GT(rate(kind, step), rate(kind, step - 1));
  }
}

TEST(Schedule, FallsAsItsNameSays) {
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::inverse_square_root, 400), 1.0);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::inverse_square_root, 40000), 0.1);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::cosine, 200), 1.0 + std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::cosine, 300), 1.0);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::linear, 200), 1.5);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::linear, 400), 0.5);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::constant, 100000), 2.0);
}

TEST(Schedule, StaysAtZeroOnceItHasReachedIt) {
  for (const int64_t step : {500, 501, 10000}) {
    EXPECT_DOUBLE_EQ(rate(ScheduleKind::cosine, step), 0.0);
    EXPECT_DOUBLE_EQ(rate(ScheduleKind::linear, step), 0.0);
  }
}

TEST(Schedule, NeedsNoWarmUp) {
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::constant, 1, 0), 2.0);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::inverse_square_root, 1, 0), 2.0);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::inverse_square_root, 4, 0), 1.0);
  EXPECT_DOUBLE_EQ(rate(ScheduleKind::linear, 250, 0), 1.0);
}

std::string complaint(const ScheduleConfig& config) {
  return error_of([&] { check(config); });
}

TEST(Schedule, RefusesWhatIsNone) {
  EXPECT_EQ(complaint({}), "(nothing was thrown)");
  EXPECT_EQ(complaint({.learning_rate = 0}),
            "schedule: a learning rate of 0 but a positive number was expected");
  EXPECT_EQ(complaint({.learning_rate = std::numeric_limits<double>::quiet_NaN()}),
            "schedule: a learning rate of nan but a positive number was expected");
  EXPECT_EQ(complaint({.learning_rate = std::numeric_limits<double>::infinity()}),
            "schedule: a learning rate of inf but a positive number was expected");
  EXPECT_EQ(complaint({.warm_up = -1}),
            "schedule: a warm-up of -1 steps but at least 0 was expected");
  for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::linear}) {
    EXPECT_EQ(complaint({.kind = kind}), "schedule: decay to zero needs a number of steps");
    EXPECT_EQ(
        complaint({.kind = kind, .warm_up = 1000, .steps = 1000}),
        "schedule: the learning rate reaches zero at step 1000, but the warm-up takes 1000 steps");
    EXPECT_EQ(complaint({.kind = kind, .warm_up = 1000, .steps = 1001}), "(nothing was thrown)");
  }
}

}  // namespace
}  // namespace heed
