#include "heed/autograd/adapted_linear.h"

#include <gtest/gtest.h>

#include "close_tensors.h"
#include "error_of.h"
#include "heed/autograd/arithmetic.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::close_tensors;
using testing::error_of;
using testing::random_tensor;

TEST(AdaptedLinear, IsALinearMapWithTheSumOfBothWeights) {
  Tape tape;
  const Variable x = tape.constant(random_tensor({7, 5}, 1)),
                 weight = tape.watch(random_tensor({9, 5}, 2)),
                 bias = tape.watch(random_tensor({9}, 3)),
                 down = tape.watch(random_tensor({2, 5}, 4)),
                 up = tape.watch(random_tensor({9, 2}, 5));
  for (const Activation kind : {Activation::identity, Activation::relu, Activation::gelu}) {
    const Variable sum = add(weight, scale(matmul(up, down), 0.75));
    EXPECT_TRUE(close_tensors(adapted_linear(x, weight, bias, down, up, 0.75, kind).value(),
                              linear(x, sum, bias, kind).value(), 1e-5, 1e-5));
  }
}

TEST(AdaptedLinear, RefusesMatricesThatDoNotFit) {
  Tape tape;
  const auto variable = [&](const Shape& shape) { return tape.constant(Tensor::zeros(shape)); };
  const auto refusal = [&](const Shape& x, const Shape& bias, const Shape& down, const Shape& up) {
    return error_of([&] {
      adapted_linear(variable(x), variable({3, 2}), variable(bias), variable(down), variable(up),
                     1);
    });
  };
  EXPECT_EQ(refusal({4, 2}, {3}, {1, 2}, {3, 1}), "(nothing was thrown)");
  EXPECT_EQ(refusal({4, 3}, {3}, {1, 2}, {3, 1}),
            "adapted linear: input (4, 3) does not fit weight (3, 2)");
  EXPECT_EQ(refusal({4, 2}, {2}, {1, 2}, {3, 1}),
            "adapted linear: bias (2) does not fit weight (3, 2)");
  EXPECT_EQ(refusal({4, 2}, {3}, {1, 3}, {3, 1}),
            "adapted linear: (1, 3) and (3, 1) do not fit weight (3, 2)");
  EXPECT_EQ(refusal({4, 2}, {3}, {2, 2}, {3, 1}),
            "adapted linear: (2, 2) and (3, 1) do not fit weight (3, 2)");
}

}  // namespace
}  // namespace heed
