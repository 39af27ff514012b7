// Register tiles of few rows over two slivers of columns. The sums of few rows over one sliver
// would wait for each other: two multiply-adds start in each cycle and take four. Included once per
// instruction set, by way of foreach_target.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#if defined(HEED_KERNELS_GEMM_PAIR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_PAIR_INL_H_
#undef HEED_KERNELS_GEMM_PAIR_INL_H_
#else
#define HEED_KERNELS_GEMM_PAIR_INL_H_
#endif

#include "heed/kernels/gemm_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// The most rows of a tile whose slivers have 4, 5 or 6 vectors together.
#if HWY_CAP_GE512
inline constexpr std::array<int, 7> kPairRows = {0, 0, 0, 0, 3, 3, 3};
#else
inline constexpr std::array<int, 7> kPairRows = {0, 0, 0, 0, 3, 2, 2};
#endif

// As TileProduct, over both slivers; `first` has the columns of both. The second sliver has as many
// vectors as the first or one less.
struct PairProduct {
  TileProduct first;
  const float* second;
  int64_t second_step;
  const float* second_ahead;  // null where nothing is ahead of the first
  int64_t second_ahead_step;
};

// Where the operands of the next step are.
struct PairCursor {
  const float *a, *first, *second;
  const float *first_ahead, *second_ahead;
};

// The numbers of a stay in registers while those of b pass: there are fewer of them.
template <int kRows, int kVectors>
HWY_INLINE void add_pair_step(FloatTag d, const TileProduct& t, const PairCursor& at,
                              TileSums<kRows, kVectors>& sums) {
  constexpr int kFirst = (kVectors + 1) / 2;
  FloatVector left[kRows];
  HWY_UNROLL(3)
  for (int r = 0; r < kRows; ++r) left[r] = hn::Set(d, at.a[r * t.a_row_stride]);
  HWY_UNROLL(6)
  for (int v = 0; v < kVectors; ++v) {
    const float* from = v < kFirst ? at.first + v * kLanes : at.second + (v - kFirst) * kLanes;
    FloatVector right = hn::LoadU(d, from);
    if constexpr (kRows > 1) hold_in_register(right);
    HWY_UNROLL(3)
    for (int r = 0; r < kRows; ++r) sums[r][v] = hn::MulAdd(left[r], right, sums[r][v]);
  }
}

template <int kRows, int kVectors, bool kFetch>
HWY_NOINLINE void multiply_pair(const PairProduct& pair) {
  const FloatTag d;
  const TileProduct& t = pair.first;
  TileSums<kRows, kVectors> sums;
  start_sums<kRows, kVectors>(d, t, sums);
  PairCursor at = {t.a, t.b, pair.second, t.ahead, pair.second_ahead};
  for (int64_t left = t.depth; left > 0; --left) {
    if constexpr (kFetch) {
      fetch_ahead<(kVectors + 1) / 2>(at.first_ahead);
      fetch_ahead<kVectors / 2>(at.second_ahead);
      at.first_ahead += t.ahead_step;
      at.second_ahead += pair.second_ahead_step;
    }
    add_pair_step<kRows, kVectors>(d, t, at, sums);
    at.a += t.a_step;
    at.first += t.b_step;
    at.second += pair.second_step;
  }
  if (t.bias != nullptr) add_bias<kRows, kVectors>(d, t, sums);
  store_sums<kRows, kVectors>(d, t, sums);
}

using PairFunction = void (*)(const PairProduct&);

template <int kVectors, bool kFetch, int... kRows>
constexpr std::array<PairFunction, sizeof...(kRows)> pairs_of_width(
    std::integer_sequence<int, kRows...>) {
  return {&multiply_pair<kRows + 1, kVectors, kFetch>...};
}

template <int kVectors, bool kFetch>
inline constexpr auto kPairs =
    pairs_of_width<kVectors, kFetch>(std::make_integer_sequence<int, kPairRows[kVectors]>());

template <bool kFetch>
HWY_INLINE PairFunction pair_function(int64_t rows, int64_t columns) {
  const size_t index = static_cast<size_t>(rows - 1);
  return columns > 5 * kLanes   ? kPairs<6, kFetch>[index]
         : columns > 4 * kLanes ? kPairs<5, kFetch>[index]
                                : kPairs<4, kFetch>[index];
}

// Computes a tile of at most kPairRows rows.
HWY_INLINE void multiply_pair(int64_t rows, const PairProduct& pair) {
  if (pair.first.ahead == nullptr)
    pair_function<false>(rows, pair.first.columns)(pair);
  else
    pair_function<true>(rows, pair.first.columns)(pair);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
