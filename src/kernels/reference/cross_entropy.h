// What the cross-entropy kernels compute, row by row.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/kernels/cross_entropy.h"
#include "heed/kernels/reference/log_sum_exp.h"

namespace heed::reference {

template <typename T>
kernels::CrossEntropySums cross_entropy(std::span<const T> scores, std::span<const int32_t> targets,
                                        int64_t columns, double smoothing) {
  const size_t width = static_cast<size_t>(columns);
  kernels::CrossEntropySums sums;
  for (size_t r = 0; r < targets.size(); ++r) {
    const std::span<const T> row = scores.subspan(r * width, width);
    const double log_sum = log_sum_exp(row);
    double total = 0;
    for (const T score : row) total += score;
    const double likelihood = log_sum - row[static_cast<size_t>(targets[r])];
    sums.negative_likelihood += likelihood;
    sums.loss += (1 - smoothing) * likelihood + smoothing * (log_sum - total / static_cast<double>(columns));
  }
  return sums;
}

template <typename T>
kernels::CrossEntropySums cross_entropy_with_gradient(std::span<T> scores, std::span<const int32_t> targets,
                                                      int64_t columns, double smoothing) {
  const kernels::CrossEntropySums sums = cross_entropy<T>(scores, targets, columns, smoothing);
  const size_t width = static_cast<size_t>(columns);
  for (size_t r = 0; r < targets.size(); ++r) {
    const std::span<T> row = scores.subspan(r * width, width);
    const T log_sum = log_sum_exp<T>(row);
    for (T& score : row)
      score = static_cast<T>(std::exp(score - log_sum) - smoothing / static_cast<double>(columns));
    row[static_cast<size_t>(targets[r])] -= static_cast<T>(1 - smoothing);
  }
  return sums;
}

}  // namespace heed::reference
