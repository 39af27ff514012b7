// Golden files: what PyTorch computed. The scripts in tests/golden write them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <vector>

#include "close.h"
#include "heed/weights/tensor_file.h"
#include "paths.h"
#include "tensors.h"

namespace heed::testing {

// `name` is a path within tests/golden, without the ending.
inline TensorFile open_golden(std::string_view name) {
  return TensorFile::open(std::filesystem::path(golden_folder) /
                          fmt::format("{}.safetensors", name));
}

// How far a computation in this type may be from a golden file of float32 numbers.
inline double golden_tolerance(Type type) { return type == Type::float32 ? 1e-5 : 1e-6; }

// Every element within the tolerance relative to its own size. Sums that cancel leave small
// elements with the rounding errors of large ones, so half of the tolerance relative to the largest
// is allowed, too: the gradient of a bilinear score, which cancels most, is 0.4 of it off where
// vectors have 8 lanes, and less where 16.
inline ::testing::AssertionResult close_to_golden(const std::vector<double>& actual,
                                                  const Tensor& golden, Type type) {
  const double tolerance = golden_tolerance(type);
  const std::vector<double> expected = values_of(golden);
  double largest = 0;
  for (const double element : expected) largest = std::max(largest, std::abs(element));
  return close(actual, expected, tolerance, tolerance / 2 * largest);
}

inline ::testing::AssertionResult close_to_golden(const Tensor& actual, const Tensor& golden) {
  if (actual.shape() != golden.shape())
    return ::testing::AssertionFailure() << "shape " << actual.shape().text()
                                         << " but the golden file has " << golden.shape().text();
  return close_to_golden(values_of(actual), golden, actual.type());
}

}  // namespace heed::testing
