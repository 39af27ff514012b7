#include "heed/weights/int8_matrix.h"

#include <gtest/gtest.h>

#include "close.h"
#include "heed/kernels/int8_gemm.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::random_tensor;
using heed::testing::values_of;

TEST(Int8Matrix, StandsForTheMatrixWithinHalfAStepOfEachRow) {
  const Tensor matrix = random_tensor({3, 40}, 1);
  const Int8Matrix small = to_int8(matrix);
  ASSERT_EQ(small.integers.size(), 120u);
  ASSERT_EQ(small.scales.size(), 3u);
  const Tensor again = from_int8(matrix.shape(), small.integers, small.scales);
  for (int64_t row = 0; row < 3; ++row)
    EXPECT_TRUE(close(values_of(again.slice(row, row + 1)), values_of(matrix.slice(row, row + 1)),
                      0, 0.5001 * small.scales[static_cast<size_t>(row)]));
}

TEST(Int8Matrix, TwiceIsOnce) {
  const Int8Matrix once = to_int8(random_tensor({5, 33}, 2));
  const Int8Matrix twice = to_int8(from_int8({5, 33}, once.integers, once.scales));
  EXPECT_EQ(once.integers, twice.integers);
  EXPECT_EQ(once.scales, twice.scales);
}

// As other tools quantise: with one step for all rows, whose largest numbers differ.
TEST(Int8Matrix, KeepsTheIntegersOfAMatrixWithOneStep) {
  std::vector<int8_t> integers(3 * 40);
  for (size_t i = 0; i < integers.size(); ++i)
    integers[i] =
        static_cast<int8_t>(static_cast<int>(i * 37 % (i < 40 ? 255 : 41)) - (i < 40 ? 127 : 20));
  integers[7] = 127;
  const std::vector<float> steps(3, kernels::Int8Scale::of_largest(0.37f).step);
  const Int8Matrix found = to_int8(from_int8({3, 40}, integers, steps));
  EXPECT_EQ(found.integers, integers);
  EXPECT_EQ(found.scales, steps);
}

TEST(Int8Matrix, IsForMatricesWithLongRows) {
  EXPECT_TRUE(is_worth_int8({2, 32}));
  EXPECT_FALSE(is_worth_int8({2, 31}));
  EXPECT_FALSE(is_worth_int8({64}));
  EXPECT_FALSE(is_worth_int8({2, 3, 64}));
}

}  // namespace
}  // namespace heed
