// Matrix products with weights of 8 bits, for decoding: a quarter of the memory to read, and up to
// four times the products per instruction. Weights have a scale for each column, fixed when they
// are packed; the rows of the other operand have one each, found on the way. The sums of products
// of integers are exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "heed/base/round_up.h"
#include "heed/kernels/activation.h"
#include "heed/kernels/matrix_view.h"

namespace heed::kernels {

// How weights become integers from -127 to 127: weight ≈ integer * step. A step has so few digits
// that its product with an integer is exact, so quantising weights that were integers before finds
// the same integers and the same step again.
struct Int8Scale {
  static constexpr float smallest_range = 1e-30f;  // what is smaller counts as 0

  float step = 0;
  float steps_per_one = 0;

  // The larger magnitude, or the one that is no number: it must stay visible.
  static float larger(float magnitude, float weight) {
    return std::abs(weight) <= magnitude || std::isnan(magnitude) ? magnitude : std::abs(weight);
  }
  static Int8Scale of_largest(float magnitude) {
    if (!std::isfinite(magnitude)) return {std::numeric_limits<float>::quiet_NaN(), 0};
    // 17 bits of 24; an integer takes the other 7.
    constexpr uint32_t digits_kept = ~uint32_t{0x7F};
    const float step =
        std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude / 127.0f) & digits_kept);
    if (step < smallest_range / 127.0f) return {};
    return {step, 1.0f / step};
  }
  static Int8Scale of(std::span<const float> weights) {
    float largest = 0;
    for (const float weight : weights) largest = larger(largest, weight);
    return of_largest(largest);
  }
  int8_t integer(float weight) const {
    const float steps = weight * steps_per_one;
    // At this size a float holds no fraction, so adding rounds as std::nearbyint would, inline.
    constexpr float no_fraction = 0x1.8p23f;
    return static_cast<int8_t>(std::isnan(steps) ? 0 : (steps + no_fraction) - no_fraction);
  }
};

// The scale of a matrix that is made of one, as other tools quantise: then all columns keep it. A
// column whose largest number is smaller than the matrix' would get a finer one otherwise, to which
// its numbers would be rounded a second time.
std::optional<Int8Scale> common_scale(MatrixView<const float> weights);

// Weights (rows, columns) as integers from -127 to 127: weight ≈ integer * scale of its column.
// Columns are stored in slivers of 16, with zeros after the last. In a sliver each four rows of a
// column are side by side, because instructions sum four products of bytes at a time; there are
// zeros after the last row, too.
class Int8Weights {
 public:
  static constexpr int64_t sliver_columns = 16;
  static constexpr int64_t group_rows = 4;
  static constexpr int64_t group_bytes = sliver_columns * group_rows;

  Int8Weights() = default;
  // With the scale that a matrix of which these are a part has for all columns, if it has one.
  explicit Int8Weights(MatrixView<const float> weights, const std::optional<Int8Scale>& common);
  explicit Int8Weights(MatrixView<const float> weights)
      : Int8Weights(weights, common_scale(weights)) {}

  bool present() const { return columns_ > 0; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t groups() const { return divide_up(rows_, group_rows); }
  const int8_t* sliver(int64_t index) const { return lines_[index * groups()].values; }
  // Of every column, the padding included.
  const float* scales() const { return scales_.data(); }
  const float* sums() const { return sums_.data(); }  // of its integers

 private:
  struct alignas(64) CacheLine {
    int8_t values[group_bytes];
  };

  int64_t rows_ = 0;
  int64_t columns_ = 0;
  std::vector<CacheLine> lines_;
  std::vector<float> scales_;
  std::vector<float> sums_;
};

// A row of floats as integers from 0 to the largest: float ≈ low + integer * scale.
struct Int8Row {
  float low;
  float scale;
};

// On this machine: 255, or 127 where instructions add two products up in 16 bits, which hold no
// larger ones.
float largest_row_integer();

// c = activation(a weights + bias), for a (m, rows of the weights) with column stride 1. The bias
// may be empty.
void gemm_int8(MatrixView<const float> a, const Int8Weights& weights, MatrixView<float> c,
               std::span<const float> bias = {}, Activation activation = Activation::identity);

}  // namespace heed::kernels
