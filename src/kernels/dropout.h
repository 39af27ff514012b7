// Dropout without stored masks: whether element i is dropped follows from the key and i alone.
#pragma once

#include <cstdint>
#include <span>

#include "heed/base/random.h"

namespace heed::kernels {

// Element i of a stream is kept when its random word is at least this; 0 <= rate < 1.
constexpr uint32_t dropout_threshold(double rate) {
  return static_cast<uint32_t>(rate * 4294967296.0);
}
constexpr bool dropout_keeps(RandomKey key, uint32_t position, uint32_t threshold) {
  return random_word(key, position) >= threshold;
}

// y[i] = kept(first + i) ? x[i] / (1 - rate) : 0; `y` may be `x` itself. It is its own backward
// pass.
void dropout(std::span<const float> x, std::span<float> y, double rate, RandomKey key,
             uint32_t first = 0);
void dropout(std::span<const double> x, std::span<double> y, double rate, RandomKey key,
             uint32_t first = 0);

// y[i] = x[i] + (kept(first + i) ? update[i] / (1 - rate) : 0); `y` may be `x` or `update`.
void add_dropped(std::span<const float> x, std::span<const float> update, std::span<float> y,
                 double rate, RandomKey key, uint32_t first = 0);
void add_dropped(std::span<const double> x, std::span<const double> update, std::span<double> y,
                 double rate, RandomKey key, uint32_t first = 0);

}  // namespace heed::kernels
