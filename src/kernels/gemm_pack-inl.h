// Copies of operands in the order in which the register tiles read them.
// Included once per instruction set; see Highway's documentation of foreach_target.

#include <algorithm>
#include <cstdint>

#include "heed/base/round_up.h"
#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/matrix_view.h"

#if defined(HEED_KERNELS_GEMM_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_PACK_INL_H_
#undef HEED_KERNELS_GEMM_PACK_INL_H_
#else
#define HEED_KERNELS_GEMM_PACK_INL_H_
#endif

#include <hwy/highway.h>

#include "heed/kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE void copy_elements(MatrixView<const float> from, float* to, int64_t to_row,
                              int64_t to_column) {
  for (int64_t r = 0; r < from.rows; ++r)
    for (int64_t c = 0; c < from.columns; ++c) to[r * to_row + c * to_column] = from(r, c);
}

#if HWY_TARGET == HWY_SCALAR

inline void transpose(MatrixView<const float> from, float* to, int64_t to_stride) {
  copy_elements(from, to, 1, to_stride);
}

#else

using BlockTag = hn::FixedTag<float, 4>;  // one 128-bit block

// The four floats at from, from + stride, ... as the blocks of one vector.
template <int kBlocks>
HWY_INLINE auto load_blocks(const float* from, int64_t stride) {
  if constexpr (kBlocks == 1) {
    return hn::LoadU(BlockTag(), from);
  } else {
    const hn::FixedTag<float, 4 * kBlocks> d;
    constexpr int kHalf = kBlocks / 2;
    return hn::Combine(d, load_blocks<kHalf>(from + kHalf * stride, stride),
                       load_blocks<kHalf>(from, stride));
  }
}

// to(c, r) = from(r, c) for as many rows as a vector has lanes, and four columns.
HWY_INLINE void transpose_four_columns(const float* from, int64_t from_stride, float* to,
                                       int64_t to_stride) {
  const FloatTag d;
  const hn::RepartitionToWide<FloatTag> pairs;
  constexpr int kBlocks = kLanes / 4;
  const FloatVector v0 = load_blocks<kBlocks>(from, 4 * from_stride);
  const FloatVector v1 = load_blocks<kBlocks>(from + from_stride, 4 * from_stride);
  const FloatVector v2 = load_blocks<kBlocks>(from + 2 * from_stride, 4 * from_stride);
  const FloatVector v3 = load_blocks<kBlocks>(from + 3 * from_stride, 4 * from_stride);
  // Each block is a 4 by 4 matrix to transpose: rows 0 and 1, 2 and 3 interleaved, then pairs of
  // those.
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v0, v1));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v2, v3));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v0, v1));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v2, v3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23)), d, to + to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23)), d, to + 2 * to_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23)), d, to + 3 * to_stride);
}

// to(c, r) = from(r, c), where both have contiguous rows.
inline void transpose(MatrixView<const float> from, float* to, int64_t to_stride) {
  const int64_t whole_rows = from.rows / kLanes * kLanes;
  const int64_t whole_columns = from.columns / 4 * 4;
  for (int64_t r = 0; r < whole_rows; r += kLanes) {
    for (int64_t c = 0; c < whole_columns; c += 4)
      transpose_four_columns(from.row(r) + c, from.row_stride, to + c * to_stride + r, to_stride);
  }
  if (whole_columns < from.columns)
    copy_elements(from.block(0, whole_columns, whole_rows, from.columns - whole_columns),
                  to + whole_columns * to_stride, 1, to_stride);
  if (whole_rows < from.rows)
    copy_elements(from.block(whole_rows, 0, from.rows - whole_rows, from.columns), to + whole_rows,
                  1, to_stride);
}

#endif

// to(r, c) = from(r, c), where both have contiguous rows.
inline void copy_rows(MatrixView<const float> from, float* to, int64_t to_stride) {
  const FloatTag d;
  for (int64_t r = 0; r < from.rows; ++r) {
    const float* row = from.row(r);
    int64_t c = 0;
    for (; c + kLanes <= from.columns; c += kLanes)
      hn::StoreU(hn::LoadU(d, row + c), d, to + r * to_stride + c);
    for (; c < from.columns; ++c) to[r * to_stride + c] = row[c];
  }
}

// kCount floats, 4 at least and 8 at most.
template <int kCount>
HWY_INLINE void copy_few(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  std::copy_n(from, kCount, to);
#else
#if HWY_TARGET <= HWY_AVX2
  const hn::FixedTag<float, 8> eight;
  if constexpr (kCount == 8) return hn::StoreU(hn::LoadU(eight, from), eight, to);
#endif
  const BlockTag four;
  const auto first = hn::LoadU(four, from), last = hn::LoadU(four, from + kCount - 4);
  hn::StoreU(first, four, to);
  hn::StoreU(last, four, to + kCount - 4);
#endif
}

// How far the copies of tiles are apart. The gap keeps the same columns of all tiles, which are
// written together, from falling into the same few sets of the cache.
constexpr int64_t packed_tile_size(int64_t height, int64_t columns) {
  return (height * columns + 15) / 16 * 16 + 16;
}

// The rows of each tile, one tile after the other, kHeight of them side by side for each column.
template <int kHeight>
inline void pack_tiles(MatrixView<const float> from, const EvenCut& tiles, float* to) {
  const int64_t tile_size = packed_tile_size(kHeight, from.columns);
  if (from.row_stride != 1 || from.rows % kHeight != 0) {
    for (int64_t i = 0; i < tiles.parts(); ++i)
      copy_elements(from.block(tiles.begin(i), 0, tiles.size(i), from.columns), to + i * tile_size,
                    1, kHeight);
    return;
  }
  for (int64_t c = 0; c < from.columns; ++c) {
    const float* column = from.data + c * from.column_stride;
    float* copy = to + c * kHeight;
    for (int64_t row = 0; row < from.rows; row += kHeight, copy += tile_size)
      copy_few<kHeight>(column + row, copy);
  }
}

// to(r, c) = from(r, c), with contiguous rows in `to` only.
inline void pack(MatrixView<const float> from, float* to, int64_t to_stride) {
  if (from.column_stride == 1)
    copy_rows(from, to, to_stride);
  else if (from.row_stride == 1)
    transpose(from.transposed(), to, to_stride);
  else
    copy_elements(from, to, to_stride, 1);
}

inline void clear_columns(float* to, int64_t rows, int64_t stride, int64_t first) {
  for (int64_t r = 0; r < rows; ++r)
    std::fill(to + r * stride + first, to + (r + 1) * stride, 0.0f);
}

// Slivers of columns one after the other, each contiguous and whole vectors wide: zeros are behind
// the last column.
inline void pack_slivers(MatrixView<const float> b, const EvenCut& slivers, float* to) {
  // Rows are read a few at a time over all slivers, for the sake of hardware prefetching; columns
  // as a whole.
  const int64_t step = b.column_stride == 1 ? 8 : b.rows;
  for (int64_t first = 0; first < b.rows; first += step) {
    const int64_t rows = std::min(step, b.rows - first);
    for (int64_t s = 0; s < slivers.parts(); ++s) {
      const int64_t columns = slivers.size(s);
      const int64_t stride = round_up(columns, kLanes);
      float* sliver = to + slivers.begin(s) * b.rows + first * stride;
      pack(b.block(first, slivers.begin(s), rows, columns), sliver, stride);
      if (columns < stride) clear_columns(sliver, rows, stride, columns);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
