// The operands of a product on the matrix unit: tiles of bfloat16, three for each tile of floats,
// whose sum it is. For split_gemm.cpp alone.
#pragma once

#include <hwy/base.h>
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "heed/kernels/matrix_view.h"

// What the machine must have.
#define HEED_KERNELS_AMX_ATTRIBUTES \
  "avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16"

HWY_PUSH_ATTRIBUTES(HEED_KERNELS_AMX_ATTRIBUTES)
namespace heed::kernels {

inline constexpr int64_t kSide = 16;   // rows and columns of a tile of c
inline constexpr int64_t kSteps = 32;  // of the depth, in a tile
inline constexpr int64_t kTileRow = 64;
inline constexpr int64_t kTileBytes = kSide * kTileRow;
// The tiles of a part, of which there may be two side by side, then those of the next.
inline constexpr int kParts = 3;
inline constexpr int64_t kPartBytes = 2 * kTileBytes;
inline constexpr int64_t kStepBytes = kParts * kPartBytes;

using Floats = __m512;
// 16 rows of 16 floats.
struct Square {
  Floats rows[kSide];
  Floats& operator[](size_t i) { return rows[i]; }
  const Floats& operator[](size_t i) const { return rows[i]; }
};

inline __mmask16 first(int64_t count) {
  return static_cast<__mmask16>(count >= kSide ? 0xffff : (1 << std::max<int64_t>(0, count)) - 1);
}

// Row r of a matrix with contiguous rows, from a column on; zeros where it has none.
HWY_INLINE Floats row_from(const MatrixView<const float>& m, int64_t r, int64_t column) {
  if (r >= m.rows) return _mm512_setzero_ps();
  return _mm512_maskz_loadu_ps(first(m.columns - column), m.row(r) + column);
}

HWY_INLINE Square rows_of(const MatrixView<const float>& m) {
  Square rows;
  for (int64_t r = 0; r < kSide; ++r) rows[static_cast<size_t>(r)] = row_from(m, r, 0);
  return rows;
}

HWY_INLINE Square transposed(const Square& rows) {
  Square pairs, fours, result;
  for (size_t i = 0; i < 16; i += 2) {
    pairs[i] = _mm512_unpacklo_ps(rows[i], rows[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_ps(rows[i], rows[i + 1]);
  }
  for (size_t i = 0; i < 16; i += 4)
    for (size_t j = 0; j < 2; ++j) {
      const __m512d low = _mm512_castps_pd(pairs[i + j]), high = _mm512_castps_pd(pairs[i + j + 2]);
      fours[i + 2 * j] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
      fours[i + 2 * j + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
    }
  // fours[4 b + j] has rows 4 b to 4 b + 3 of the columns j, j + 4, j + 8 and j + 12.
  for (size_t j = 0; j < 4; ++j) {
    const Floats even01 = _mm512_shuffle_f32x4(fours[j], fours[4 + j], 0x88),
                 odd01 = _mm512_shuffle_f32x4(fours[j], fours[4 + j], 0xdd),
                 even23 = _mm512_shuffle_f32x4(fours[8 + j], fours[12 + j], 0x88),
                 odd23 = _mm512_shuffle_f32x4(fours[8 + j], fours[12 + j], 0xdd);
    result[j] = _mm512_shuffle_f32x4(even01, even23, 0x88);
    result[j + 8] = _mm512_shuffle_f32x4(even01, even23, 0xdd);
    result[j + 4] = _mm512_shuffle_f32x4(odd01, odd23, 0x88);
    result[j + 12] = _mm512_shuffle_f32x4(odd01, odd23, 0xdd);
  }
  return result;
}

// At most 16 by 16 elements of a matrix whose rows are not contiguous, with zeros around them.
HWY_INLINE Square square_of(const MatrixView<const float>& m) {
  if (m.row_stride == 1) return transposed(rows_of(m.transposed()));
  alignas(64) std::array<float, kSide* kSide> copy = {};
  for (int64_t r = 0; r < std::min(kSide, m.rows); ++r)
    for (int64_t c = 0; c < std::min(kSide, m.columns); ++c)
      copy[static_cast<size_t>(r * kSide + c)] = m(r, c);
  return rows_of({copy.data(), kSide, kSide, kSide, 1});
}

HWY_INLINE Floats widened(__m256i bfloat16s) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bfloat16s), 16));
}

// The part of two vectors that 8 bits hold, which is taken from them: the numbers of `low` first.
HWY_INLINE __m512i split_off(Floats& low, Floats& high) {
  const auto part = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
  low = _mm512_sub_ps(low, widened(_mm512_castsi512_si256(part)));
  high = _mm512_sub_ps(high, widened(_mm512_extracti64x4_epi64(part, 1)));
  return part;
}

// One row of each part's tile.
HWY_INLINE void store_row(Floats low, Floats high, std::byte* to) {
  for (int part = 0; part < kParts; ++part)
    _mm512_store_si512(to + part * kPartBytes, split_off(low, high));
}

// The same, with the numbers of both vectors alternating.
HWY_INLINE void store_paired_row(Floats even, Floats odd, std::byte* to) {
  alignas(64) static constexpr std::array<uint16_t, 32> alternating = {
      0, 16, 1, 17, 2,  18, 3,  19, 4,  20, 5,  21, 6,  22, 7,  23,
      8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(alternating.data());
  for (int part = 0; part < kParts; ++part)
    _mm512_store_si512(to + part * kPartBytes,
                       _mm512_permutexvar_epi16(order, split_off(even, odd)));
}

inline MatrixView<const float> up_to(MatrixView<const float> m, int64_t row, int64_t column,
                                     int64_t rows, int64_t columns) {
  return m.block(row, column, std::clamp<int64_t>(m.rows - row, 0, rows),
                 std::clamp<int64_t>(m.columns - column, 0, columns));
}

// At most 16 rows and 32 columns.
HWY_NOINLINE inline void split_left_tile(const MatrixView<const float>& a, std::byte* to) {
  if (a.column_stride == 1) {
    for (int64_t r = 0; r < kSide; ++r, to += kTileRow)
      store_row(row_from(a, r, 0), row_from(a, r, kSide), to);
    return;
  }
  const Square low = square_of(up_to(a, 0, 0, kSide, kSide)),
               high = square_of(up_to(a, 0, kSide, kSide, kSide));
  for (size_t r = 0; r < kSide; ++r)
    store_row(low[r], high[r], to + kTileRow * static_cast<int64_t>(r));
}

// At most 32 rows and 16 columns.
HWY_NOINLINE inline void split_right_tile(const MatrixView<const float>& b, std::byte* to) {
  if (b.column_stride == 1) {
    for (int64_t r = 0; r < kSteps; r += 2, to += kTileRow)
      store_paired_row(row_from(b, r, 0), row_from(b, r + 1, 0), to);
    return;
  }
  for (int64_t half = 0; half < kSteps; half += kSide) {
    const Square rows = square_of(up_to(b, half, 0, kSide, kSide));
    for (size_t r = 0; r < kSide; r += 2, to += kTileRow)
      store_paired_row(rows[r], rows[r + 1], to);
  }
}

// The tiles of a stripe of a, at most two of them high, step after step.
inline void split_left(MatrixView<const float> a, std::byte* to) {
  for (int64_t step = 0; step < a.columns; step += kSteps, to += kStepBytes)
    for (int64_t row = 0; row < a.rows; row += kSide)
      split_left_tile(up_to(a, row, step, kSide, kSteps), to + row / kSide * kTileBytes);
}

// The same of b, at most two tiles wide.
inline void split_right(MatrixView<const float> b, std::byte* to) {
  for (int64_t step = 0; step < b.rows; step += kSteps, to += kStepBytes)
    for (int64_t column = 0; column < b.columns; column += kSide)
      split_right_tile(up_to(b, step, column, kSteps, kSide), to + column / kSide * kTileBytes);
}

}  // namespace heed::kernels
HWY_POP_ATTRIBUTES
