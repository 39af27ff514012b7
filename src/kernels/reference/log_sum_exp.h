// The logarithm of a sum of exponentials.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace heed::reference {

template <typename T>
T log_sum_exp(std::span<const T> x) {
  // Shifting by the maximum keeps exp from overflowing.
  const T highest = *std::max_element(x.begin(), x.end());
  T sum = 0;
  for (const T score : x) sum += std::exp(score - highest);
  return highest + std::log(sum);
}

}  // namespace heed::reference
