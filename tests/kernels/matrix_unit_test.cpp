#include "heed/kernels/matrix_unit.h"

#include <gtest/gtest.h>

namespace heed::kernels {
namespace {

TEST(MatrixUnit, IsUsedUnlessToldOtherwise) {
  const bool found = has_matrix_unit();
  use_matrix_unit(false);
  EXPECT_FALSE(has_matrix_unit());
  use_matrix_unit(true);
  EXPECT_EQ(has_matrix_unit(), found);
}

}  // namespace
}  // namespace heed::kernels
