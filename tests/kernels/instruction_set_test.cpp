#include "heed/kernels/instruction_set.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

namespace heed {
namespace {

TEST(InstructionSet, IsTheBestThatTheMachineHas) {
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  EXPECT_EQ(kernels::instruction_set(), hwy::TargetName(targets.front()));
  hwy::SetSupportedTargetsForTest(HWY_AVX2);
  EXPECT_EQ(kernels::instruction_set(), "AVX2");
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(kernels::instruction_set(), hwy::TargetName(targets.front()));
}

}  // namespace
}  // namespace heed
