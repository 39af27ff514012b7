// Comparisons of tensors.
#pragma once

#include <gtest/gtest.h>

#include "close.h"
#include "heed/tensor/tensor.h"
#include "tensors.h"

namespace heed::testing {

inline ::testing::AssertionResult close_tensors(const Tensor& actual, const Tensor& expected,
                                                double rtol = 1e-5, double atol = 1e-5) {
  if (actual.shape() != expected.shape())
    return ::testing::AssertionFailure()
           << "shapes " << actual.shape().text() << " and " << expected.shape().text();
  return close(values_of(actual), values_of(expected), rtol, atol);
}

}  // namespace heed::testing
