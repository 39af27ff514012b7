// Comparison of arrays of numbers that says where they differ.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <span>

namespace heed::testing {

// Every element within atol + rtol |expected|; equal infinities and equal NaNs agree.
template <typename Actual, typename Expected>
::testing::AssertionResult close(std::span<const Actual> actual, std::span<const Expected> expected,
                                 double rtol, double atol) {
  if (actual.size() != expected.size())
    return ::testing::AssertionFailure() << "sizes " << actual.size() << " and " << expected.size();
  for (size_t i = 0; i < actual.size(); ++i) {
    const double found = static_cast<double>(actual[i]);
    const double wanted = static_cast<double>(expected[i]);
    if (found == wanted || (std::isnan(found) && std::isnan(wanted))) continue;
    if (!(std::abs(found - wanted) <= atol + rtol * std::abs(wanted)))
      return ::testing::AssertionFailure()
             << "element " << i << " of " << actual.size() << " is " << found << " but should be "
             << wanted << " (differs by " << found - wanted << ")";
  }
  return ::testing::AssertionSuccess();
}

template <typename A, typename B>
::testing::AssertionResult close(const A& actual, const B& expected, double rtol, double atol) {
  return close(std::span<const typename A::value_type>(actual),
               std::span<const typename B::value_type>(expected), rtol, atol);
}

}  // namespace heed::testing
