#include "heed/kernels/instruction_set.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include "heed/kernels/matrix_unit.h"

namespace heed {
namespace {

std::string named(const std::string& vectors) {
  return kernels::has_matrix_unit() ? vectors + " with AMX" : vectors;
}

TEST(InstructionSet, IsTheBestThatTheMachineHas) {
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  EXPECT_EQ(kernels::instruction_set(), named(hwy::TargetName(targets.front())));
  hwy::SetSupportedTargetsForTest(HWY_AVX2);
  EXPECT_EQ(kernels::instruction_set(), named("AVX2"));
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_EQ(kernels::instruction_set(), named(hwy::TargetName(targets.front())));
}

TEST(InstructionSet, CanBeOneThatOthersHaveToo) {
  const std::vector<int64_t> targets = hwy::SupportedAndGeneratedTargets();
  const std::string best = kernels::instruction_set();
  const int64_t all = kernels::instruction_sets();
  EXPECT_EQ(all & targets.front(), targets.front());
  kernels::use_instruction_sets(targets.back());
  EXPECT_EQ(kernels::instruction_set(), hwy::TargetName(targets.back()));
  EXPECT_FALSE(kernels::has_matrix_unit());
  kernels::use_instruction_sets(all);
  EXPECT_EQ(kernels::instruction_set(), best);
}

}  // namespace
}  // namespace heed
