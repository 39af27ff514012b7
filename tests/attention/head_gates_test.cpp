#include "heed/attention/head_gates.h"

#include <gtest/gtest.h>

#include <limits>

#include "error_of.h"
#include "heed/autograd/gradient_check.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::values_of;

TEST(HeadGates, ScaleEachHeadsPart) {
  Tape tape;
  const Variable x = tape.watch(Tensor::of({2, 6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  EXPECT_EQ(values_of(scale_heads(x, {0.5, 0, 2}).value()),
            (std::vector<double>{0.5, 1, 0, 0, 10, 12, 3.5, 4, 0, 0, 22, 24}));
  EXPECT_EQ(scale_heads(x, {}).value().data<float>(), x.value().data<float>());
  EXPECT_EQ(error_of([&] {
              scale_heads(x, {1, 1, 1, 0});
            }),
            "scale_heads: 4 gates do not divide a width of 6");
}

// What a head that is off has computed does not matter.
TEST(HeadGates, OfZeroLeaveNothing) {
  Tape tape;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(values_of(scale_heads(tape.constant(Tensor::of({1, 2}, {nan, 1})), {0, 1}).value()),
            (std::vector<double>{0, 1}));
}

TEST(HeadGates, Gradients) {
  const GradientCheckResult result =
      check_gradients({random_tensor({3, 6}, 1)}, [](Tape&, const std::vector<Variable>& x) {
        return scale_heads(x[0], {0.5, 0, -2});
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

}  // namespace
}  // namespace heed
