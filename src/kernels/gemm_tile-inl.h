// Register tiles: a few rows of c by a few vectors of its columns, summed over the depth in
// registers. Every product in gemm.cpp is made of these. Included once per instruction set, by way
// of foreach_target.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "heed/kernels/gemm_coming.h"

#if defined(HEED_KERNELS_GEMM_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_GEMM_TILE_INL_H_
#undef HEED_KERNELS_GEMM_TILE_INL_H_
#else
#define HEED_KERNELS_GEMM_TILE_INL_H_
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
inline constexpr int64_t kLanes = HWY_LANES(float);

// The most rows of a tile that is 1, 2 or 3 vectors wide: what the registers hold beside the
// operands. More rows than 8 would not fit the general registers, which point to the rows of a.
#if HWY_CAP_GE512
inline constexpr std::array<int, 4> kTileRows = {0, 8, 8, 8};
#else
inline constexpr std::array<int, 4> kTileRows = {0, 6, 6, 4};
#endif

// What a tile does beside its sums: nothing; fetch for each step, from `ahead`, as much as the step
// reads of b; that and write b to `copy`; or fetch, slowly, what is coming.
enum class Aside { nothing, fetch, fetch_and_pack, fetch_coming };

// c = a b + bias, or c += a b + bias. Element (row, step) of a is at a + row a_row_stride + step
// a_step; the row of b for a step is at b + step b_step, in whole vectors.
//
// An element of c is one chain of multiply-adds, from the first step to the last, in every tile:
// it starts with 0 or with what c holds, and the bias comes last. So a product whose depth is cut
// into blocks, each of which goes on with the sums in c, finds the same bits however it is cut,
// and a row finds the same in a tile of any height.
struct TileProduct {
  const float* a;
  int64_t a_row_stride;
  int64_t a_step;
  const float* b;
  int64_t b_step;
  float* c;
  int64_t c_stride;
  int64_t depth;
  int64_t columns;    // of c; the last vector may reach beyond them
  const float* bias;  // null for none
  float* copy;        // where to pack the sliver of b on the way; null for nowhere
  const float*
      ahead;  // what is needed after this, to fetch into the cache on the way; null for nothing
  int64_t ahead_step;
  Coming* coming;   // what to fetch on the way where nothing is `ahead`; null for nothing
  bool accumulate;  // start with what c holds
};

HWY_INLINE FloatVector load_first(FloatTag d, const float* from, int64_t count) {
  if (count >= kLanes) return hn::LoadU(d, from);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float lanes[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) lanes[i] = from[i];
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
#endif
}

HWY_INLINE void store_first(FloatTag d, FloatVector value, float* to, int64_t count) {
  if (count >= kLanes)
    hn::StoreU(value, d, to);
  else
    hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(count)), d, to);
}

// Keeps GCC from loading the vector again for every use of it, which halves the speed of tiles of
// two and three rows.
HWY_INLINE void hold_in_register(FloatVector& vector) {
#if HWY_ARCH_X86 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+v"(vector.raw));
#else
  (void)vector;
#endif
}

template <int kRows, int kVectors>
using TileSums = FloatVector[kRows][kVectors];

// Where the operands of the next step are.
struct TileCursor {
  const float* a;
  const float* b;
  const float* ahead;
  float* copy;
};

template <int kVectors>
HWY_INLINE void fetch_ahead(const float* ahead) {
  HWY_UNROLL(4)
  for (int64_t line = 0; line < kVectors * kLanes; line += kLineFloats)
    __builtin_prefetch(ahead + line, 0, 2);
}

template <int kRows, int kVectors, Aside kAside>
HWY_INLINE void add_step(FloatTag d, const TileProduct& t, TileCursor& at,
                         TileSums<kRows, kVectors>& sums) {
  FloatVector right[kVectors];
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) {
    right[v] = hn::LoadU(d, at.b + v * kLanes);
    if constexpr (kRows > 1) hold_in_register(right[v]);
    if constexpr (kAside == Aside::fetch_and_pack) hn::Store(right[v], d, at.copy + v * kLanes);
  }
  if constexpr (kAside == Aside::fetch || kAside == Aside::fetch_and_pack)
    fetch_ahead<kVectors>(at.ahead);
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    const FloatVector left = hn::Set(d, at.a[r * t.a_row_stride]);
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
  }
  at.a += t.a_step;
  at.b += t.b_step;
  if constexpr (kAside == Aside::fetch || kAside == Aside::fetch_and_pack) at.ahead += t.ahead_step;
  if constexpr (kAside == Aside::fetch_and_pack) at.copy += kVectors * kLanes;
}

// Calls f(row, vector) for each of a tile's sums.
template <int kRows, int kVectors, class F>
HWY_INLINE void for_each_sum(F f) {
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    HWY_UNROLL(6)
    for (int v = 0; v < kVectors; ++v) f(r, v);
  }
}

// A tile whose columns are whole vectors, as most are, needs no masks.
template <int kVectors>
HWY_INLINE bool whole_columns(const TileProduct& t) {
  return t.columns == kVectors * kLanes;
}

template <int kRows, int kVectors>
HWY_INLINE void start_sums(FloatTag d, const TileProduct& t, TileSums<kRows, kVectors>& sums) {
  const auto c = [&](int r, int v) { return t.c + r * t.c_stride + v * kLanes; };
  if (!t.accumulate) {
    for_each_sum<kRows, kVectors>([&](int r, int v) HWY_ATTR {
      sums[r][v] = hn::Zero(d);
      hwy::Prefetch(c(r, v));
    });
  } else if (whole_columns<kVectors>(t)) {
    for_each_sum<kRows, kVectors>([&](int r, int v)
                                      HWY_ATTR { sums[r][v] = hn::LoadU(d, c(r, v)); });
  } else {
    for_each_sum<kRows, kVectors>([&](int r, int v) HWY_ATTR {
      sums[r][v] = load_first(d, c(r, v), t.columns - v * kLanes);
    });
  }
}

template <int kRows, int kVectors>
HWY_INLINE void add_bias(FloatTag d, const TileProduct& t, TileSums<kRows, kVectors>& sums) {
  FloatVector bias[kVectors];
  HWY_UNROLL(6)
  for (int v = 0; v < kVectors; ++v)
    bias[v] = load_first(d, t.bias + v * kLanes, t.columns - v * kLanes);
  for_each_sum<kRows, kVectors>([&](int r, int v)
                                    HWY_ATTR { sums[r][v] = hn::Add(sums[r][v], bias[v]); });
}

template <int kRows, int kVectors>
HWY_INLINE void store_sums(FloatTag d, const TileProduct& t,
                           const TileSums<kRows, kVectors>& sums) {
  const auto c = [&](int r, int v) { return t.c + r * t.c_stride + v * kLanes; };
  if (whole_columns<kVectors>(t)) {
    for_each_sum<kRows, kVectors>([&](int r, int v)
                                      HWY_ATTR { hn::StoreU(sums[r][v], d, c(r, v)); });
  } else {
    for_each_sum<kRows, kVectors>([&](int r, int v) HWY_ATTR {
      store_first(d, sums[r][v], c(r, v), t.columns - v * kLanes);
    });
  }
}

// As many steps as the rest of the depth has whole stretches of, each with the fetch of one line.
template <int kRows, int kVectors>
HWY_INLINE void add_steps_and_fetch(FloatTag d, const TileProduct& t, TileCursor& at, int64_t& left,
                                    TileSums<kRows, kVectors>& sums) {
  for (; left >= Coming::kStepsPerLine; left -= Coming::kStepsPerLine) {
    t.coming->fetch();
    for (int64_t step = 0; step < Coming::kStepsPerLine; ++step)
      add_step<kRows, kVectors, Aside::nothing>(d, t, at, sums);
  }
}

template <int kRows, int kVectors, Aside kAside>
HWY_NOINLINE void multiply_tile(const TileProduct& t) {
  const FloatTag d;
  TileSums<kRows, kVectors> sums;
  start_sums<kRows, kVectors>(d, t, sums);
  TileCursor at = {t.a, t.b, t.ahead, t.copy};
  int64_t left = t.depth;
  if constexpr (kAside == Aside::fetch_coming)
    add_steps_and_fetch<kRows, kVectors>(d, t, at, left, sums);
  for (; left > 0; --left) add_step<kRows, kVectors, kAside>(d, t, at, sums);
  if (t.bias != nullptr) add_bias<kRows, kVectors>(d, t, sums);
  store_sums<kRows, kVectors>(d, t, sums);
}

using TileFunction = void (*)(const TileProduct&);

template <int kVectors, Aside kAside, int... kRows>
constexpr std::array<TileFunction, sizeof...(kRows)> tiles_of_width(
    std::integer_sequence<int, kRows...>) {
  return {&multiply_tile<kRows + 1, kVectors, kAside>...};
}

template <int kVectors, Aside kAside>
inline constexpr auto kTiles =
    tiles_of_width<kVectors, kAside>(std::make_integer_sequence<int, kTileRows[kVectors]>());

template <Aside kAside>
HWY_INLINE TileFunction tile_function(int64_t rows, int64_t columns) {
  const size_t index = static_cast<size_t>(rows - 1);
  return columns > 2 * kLanes ? kTiles<3, kAside>[index]
         : columns > kLanes   ? kTiles<2, kAside>[index]
                              : kTiles<1, kAside>[index];
}

// Computes a tile of at most 3 vectors and of at most kTileRows rows.
HWY_INLINE void multiply_tile(int64_t rows, const TileProduct& t) {
  if (t.ahead == nullptr && t.coming != nullptr && t.coming->any())
    tile_function<Aside::fetch_coming>(rows, t.columns)(t);
  else if (t.ahead == nullptr)
    tile_function<Aside::nothing>(rows, t.columns)(t);
  else if (t.copy == nullptr)
    tile_function<Aside::fetch>(rows, t.columns)(t);
  else
    tile_function<Aside::fetch_and_pack>(rows, t.columns)(t);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
