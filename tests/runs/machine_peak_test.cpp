#include "heed/runs/machine_peak.h"

#include <gtest/gtest.h>

#include "heed/base/workers.h"

namespace heed {
namespace {

// Wide bounds, because it is not the speed that is tested: no machine is slower or faster than
// that.
TEST(MachinePeak, IsPlausible) {
  const double peak = peak_flops();
  EXPECT_GT(peak, 1e8);
  EXPECT_LT(peak, 1e14);
}

TEST(MachinePeak, CountsEveryWorker) {
  Workers two(2);
  EXPECT_GT(peak_flops(two), 1e8);
}

}  // namespace
}  // namespace heed
