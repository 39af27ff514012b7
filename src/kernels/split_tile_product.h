// Up to two by two tiles of a product on the matrix unit. For split_gemm.cpp alone.
#pragma once

#include "heed/base/round_up.h"
#include "heed/kernels/split_operands.h"

HWY_PUSH_ATTRIBUTES(HEED_KERNELS_AMX_ATTRIBUTES)
namespace heed::kernels {

struct alignas(64) TileSettings {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  std::array<uint8_t, 14> reserved = {};
  std::array<uint16_t, 16> bytes_per_row = {64, 64, 64, 64, 64, 64, 64, 64};
  std::array<uint8_t, 16> rows = {16, 16, 16, 16, 16, 16, 16, 16};
};
static_assert(sizeof(TileSettings) == 64);

// The compiler does not see what the tiles read and write.
inline void settle_memory() { asm volatile("" ::: "memory"); }

// The unit is set up, and afterwards free for whoever else wants it.
class TilesInUse {
 public:
  TilesInUse() {
    const TileSettings settings;
    settle_memory();
    _tile_loadconfig(&settings);
  }
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
  ~TilesInUse() { _tile_release(); }
};

// Two by two tiles of c: 0 and 1 above 2 and 3. Those of a are 4 and 5, those of b 6 and 7. The
// smallest products come first.
template <bool kTwoRows, bool kTwoColumns>
void add_products(const std::byte* a, const std::byte* b, int64_t steps) {
#define HEED_LOAD_LEFT(index)                 \
  _tile_loadd(4, a + (index)*kPartBytes, 64); \
  if constexpr (kTwoRows) _tile_loadd(5, a + (index)*kPartBytes + kTileBytes, 64)
#define HEED_LOAD_RIGHT(index)                \
  _tile_loadd(6, b + (index)*kPartBytes, 64); \
  if constexpr (kTwoColumns) _tile_loadd(7, b + (index)*kPartBytes + kTileBytes, 64)
#define HEED_ADD_PRODUCTS()                           \
  _tile_dpbf16ps(0, 4, 6);                            \
  if constexpr (kTwoColumns) _tile_dpbf16ps(1, 4, 7); \
  if constexpr (kTwoRows) _tile_dpbf16ps(2, 5, 6);    \
  if constexpr (kTwoRows && kTwoColumns) _tile_dpbf16ps(3, 5, 7)
  for (; steps > 0; --steps, a += kStepBytes, b += kStepBytes) {
    HEED_LOAD_LEFT(2);
    HEED_LOAD_RIGHT(0);
    HEED_ADD_PRODUCTS();
    HEED_LOAD_LEFT(1);
    HEED_ADD_PRODUCTS();
    HEED_LOAD_RIGHT(1);
    HEED_ADD_PRODUCTS();
    HEED_LOAD_LEFT(0);
    HEED_ADD_PRODUCTS();
    HEED_LOAD_RIGHT(2);
    HEED_ADD_PRODUCTS();
    HEED_LOAD_RIGHT(0);
    HEED_ADD_PRODUCTS();
  }
#undef HEED_LOAD_LEFT
#undef HEED_LOAD_RIGHT
#undef HEED_ADD_PRODUCTS
}

// c has whole tiles.
template <bool kTwoRows, bool kTwoColumns>
HWY_NOINLINE void multiply_tiles(const std::byte* a, const std::byte* b, int64_t steps,
                                 const MatrixView<float>& c, bool accumulate) {
  const int64_t stride = c.row_stride * static_cast<int64_t>(sizeof(float));
  float* const below = c.data + kSide * c.row_stride;
  settle_memory();
  if (accumulate) {
    _tile_loadd(0, c.data, stride);
    if constexpr (kTwoColumns) _tile_loadd(1, c.data + kSide, stride);
    if constexpr (kTwoRows) _tile_loadd(2, below, stride);
    if constexpr (kTwoRows && kTwoColumns) _tile_loadd(3, below + kSide, stride);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  add_products<kTwoRows, kTwoColumns>(a, b, steps);
  _tile_stored(0, c.data, stride);
  if constexpr (kTwoColumns) _tile_stored(1, c.data + kSide, stride);
  if constexpr (kTwoRows) _tile_stored(2, below, stride);
  if constexpr (kTwoRows && kTwoColumns) _tile_stored(3, below + kSide, stride);
  settle_memory();
}

inline void multiply_whole(const std::byte* a, const std::byte* b, int64_t steps,
                           const MatrixView<float>& c, bool accumulate) {
  if (c.rows > kSide && c.columns > kSide)
    multiply_tiles<true, true>(a, b, steps, c, accumulate);
  else if (c.rows > kSide)
    multiply_tiles<true, false>(a, b, steps, c, accumulate);
  else if (c.columns > kSide)
    multiply_tiles<false, true>(a, b, steps, c, accumulate);
  else
    multiply_tiles<false, false>(a, b, steps, c, accumulate);
}

inline void copy(MatrixView<const float> from, MatrixView<float> to) {
  for (int64_t r = 0; r < from.rows; ++r) std::copy_n(from.row(r), from.columns, to.row(r));
}

// Where tiles reach beyond c.
HWY_NOINLINE inline void multiply_aside(const std::byte* a, const std::byte* b, int64_t steps,
                                        const MatrixView<float>& c, bool accumulate) {
  alignas(64) std::array<float, 4 * kSide* kSide> room = {};
  const MatrixView<float> whole = {room.data(), round_up(c.rows, kSide), round_up(c.columns, kSide),
                                   2 * kSide, 1};
  const MatrixView<float> part = whole.block(0, 0, c.rows, c.columns);
  if (accumulate) copy(c, part);
  multiply_whole(a, b, steps, whole, accumulate);
  copy(part, c);
}

}  // namespace heed::kernels
HWY_POP_ATTRIBUTES
