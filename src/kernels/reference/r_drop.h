// What the R-Drop kernels compute, element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "heed/kernels/r_drop.h"

namespace heed::reference {

// Calls visit(row, element, p, q) for each element of the block.
template <typename T, typename Visit>
void for_each_prediction(const kernels::PredictionPair<T>& block, Visit&& visit) {
  const T smallest = static_cast<T>(kernels::smallest_probability);
  for (size_t i = 0; i < block.first.size(); ++i) {
    const size_t row = i / block.columns();
    visit(row, i, std::max(smallest, block.first[i] * block.first_factors[row]),
          std::max(smallest, block.second[i] * block.second_factors[row]));
  }
}

template <typename T>
void add_divergences(const kernels::PredictionPair<T>& block, std::span<kernels::Divergence> rows) {
  for_each_prediction(block, [&](size_t row, size_t, T p, T q) {
    rows[row].of_first += p * std::log(p / q);
    rows[row].of_second += q * std::log(q / p);
  });
}

template <typename T>
void add_r_drop_gradients(const kernels::PredictionPair<T>& block,
                          std::span<const kernels::Divergence> rows, T weight,
                          std::span<T> first_gradient, std::span<T> second_gradient) {
  const T half = weight / 2;
  for_each_prediction(block, [&](size_t row, size_t i, T p, T q) {
    const T log_ratio = std::log(p / q);
    first_gradient[i] += half * (p * (log_ratio - static_cast<T>(rows[row].of_first)) + p - q);
    second_gradient[i] += half * (q * (-log_ratio - static_cast<T>(rows[row].of_second)) + q - p);
  });
}

}  // namespace heed::reference
