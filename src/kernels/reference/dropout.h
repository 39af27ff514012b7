// What the dropout kernel computes, element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/kernels/dropout.h"

namespace heed::reference {

template <typename T>
void dropout(std::span<const T> x, std::span<T> y, double rate, RandomKey key, uint32_t first) {
  const uint32_t threshold = kernels::dropout_threshold(rate);
  const T scale = static_cast<T>(1.0 / (1.0 - rate));
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = kernels::dropout_keeps(key, first + static_cast<uint32_t>(i), threshold) ? x[i] * scale
                                                                                    : T(0);
}

template <typename T>
void add_dropped(std::span<const T> x, std::span<const T> update, std::span<T> y, double rate,
                 RandomKey key, uint32_t first) {
  const uint32_t threshold = kernels::dropout_threshold(rate);
  const T scale = static_cast<T>(1.0 / (1.0 - rate));
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = x[i] + (kernels::dropout_keeps(key, first + static_cast<uint32_t>(i), threshold)
                       ? update[i] * scale
                       : T(0));
}

}  // namespace heed::reference
