// The rows of a are made integers first. Then, for each few slivers of weights, which stay in the
// first-level cache, register tiles go down the rows.
#define HWY_WANT_AVX3_DL  // with instructions for sums of four products

#include "heed/kernels/int8_gemm.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "heed/base/per_thread.h"
#include "heed/base/round_up.h"
#include "heed/kernels/gemm_blocks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/int8_gemm.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/int8_tile-inl.h"

#ifndef HEED_KERNELS_INT8_GEMM_ONCE
#define HEED_KERNELS_INT8_GEMM_ONCE
namespace heed::kernels {

// The rows of a as integers, `stride` bytes apart.
struct Int8Rows {
  std::vector<uint8_t> integers;
  std::vector<Int8Row> rows;
  int64_t stride;

  static Int8Rows& of_thread() { return per_thread<Int8Rows>(); }
};

}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

float largest_of_target() { return kLargestRowInteger; }

void quantise_rows(MatrixView<const float> a, Int8Rows& to) {
  // Whole vectors are written, also where the row ends within one.
  to.stride = (a.columns + 63) / 64 * 64;
  to.integers.resize(static_cast<size_t>(a.rows * to.stride));
  to.rows.resize(static_cast<size_t>(a.rows));
  for (int64_t r = 0; r < a.rows; ++r)
    to.rows[r] =
        quantise_row(a.row(r), static_cast<size_t>(a.columns), to.integers.data() + r * to.stride);
}

void multiply_int8(const Int8Rows& a, const Int8Weights& weights, MatrixView<float> c,
                   std::span<const float> bias) {
  const EvenCut wide(c.columns, kInt8TileVectors * kInt8Lanes, kInt8Lanes),
      high(c.rows, kInt8TileRows);
  for (int64_t j = 0; j < wide.parts(); ++j) {
    const int64_t column = wide.begin(j);
    Int8Tile tile = {.a_stride = a.stride,
                     .b = weights.sliver(column / Int8Weights::sliver_columns) +
                          column % Int8Weights::sliver_columns * Int8Weights::group_rows,
                     .sliver_bytes = weights.groups() * Int8Weights::group_bytes,
                     .first_in_sliver = column % Int8Weights::sliver_columns,
                     .groups = weights.groups(),
                     .c_stride = c.row_stride,
                     .columns = wide.size(j),
                     .scales = weights.scales() + column,
                     .sums = weights.sums() + column,
                     .bias = bias.empty() ? nullptr : bias.data() + column};
    for (int64_t i = 0; i < high.parts(); ++i) {
      tile.a = a.integers.data() + high.begin(i) * a.stride;
      tile.rows = a.rows.data() + high.begin(i);
      tile.c = c.row(high.begin(i)) + column;
      int8_tile(high.size(i), tile);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(largest_of_target);
HWY_EXPORT(quantise_rows);
HWY_EXPORT(multiply_int8);

float largest_row_integer() { return HWY_DYNAMIC_DISPATCH(largest_of_target)(); }

std::optional<Int8Scale> common_scale(MatrixView<const float> weights) {
  float largest = 0;
  for (int64_t r = 0; r < weights.rows; ++r)
    for (int64_t c = 0; c < weights.columns; ++c)
      largest = Int8Scale::larger(largest, weights(r, c));
  const Int8Scale scale = Int8Scale::of_largest(largest);
  for (int64_t r = 0; r < weights.rows; ++r)
    for (int64_t c = 0; c < weights.columns; ++c)
      if (!(static_cast<float>(scale.integer(weights(r, c))) * scale.step == weights(r, c)))
        return std::nullopt;
  return scale;
}

Int8Weights::Int8Weights(MatrixView<const float> weights, const std::optional<Int8Scale>& common)
    : rows_(weights.rows), columns_(weights.columns) {
  const int64_t slivers = divide_up(columns_, sliver_columns);
  lines_.resize(static_cast<size_t>(slivers * groups()));
  scales_.resize(static_cast<size_t>(slivers * sliver_columns));
  sums_.resize(scales_.size());
  for (int64_t column = 0; column < columns_; ++column) {
    float largest = 0;
    for (int64_t r = 0; r < rows_; ++r) largest = Int8Scale::larger(largest, weights(r, column));
    const Int8Scale scale = common ? *common : Int8Scale::of_largest(largest);
    int64_t sum = 0;
    for (int64_t r = 0; r < rows_; ++r) {
      const int8_t integer = scale.integer(weights(r, column));
      CacheLine& line = lines_[column / sliver_columns * groups() + r / group_rows];
      line.values[column % sliver_columns * group_rows + r % group_rows] = integer;
      sum += integer;
    }
    scales_[column] = scale.step;
    sums_[column] = static_cast<float>(sum);
  }
}

void gemm_int8(MatrixView<const float> a, const Int8Weights& weights, MatrixView<float> c,
               std::span<const float> bias, Activation activation) {
  if (c.rows == 0 || c.columns == 0) return;
  Int8Rows& rows = Int8Rows::of_thread();
  HWY_DYNAMIC_DISPATCH(quantise_rows)(a, rows);
  HWY_DYNAMIC_DISPATCH(multiply_int8)(rows, weights, c, bias);
  activate_rows(activation, c);
}

}  // namespace heed::kernels
#endif
