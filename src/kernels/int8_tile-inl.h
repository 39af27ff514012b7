// Register tiles of products of bytes, and rows of floats made bytes. Included once per instruction
// set, by way of foreach_target.h.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "heed/kernels/int8_gemm.h"

#if defined(HEED_KERNELS_INT8_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_INT8_TILE_INL_H_
#undef HEED_KERNELS_INT8_TILE_INL_H_
#else
#define HEED_KERNELS_INT8_TILE_INL_H_
#endif

#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using Int32Tag = hn::RebindToSigned<Tag>;
using Int32Vector = hn::Vec<Int32Tag>;
inline constexpr int64_t kInt8Lanes = HWY_LANES(float);

// The most rows of a tile and vectors beside each other: what the registers hold beside the
// operands.
#if HWY_CAP_GE512
inline constexpr int kInt8TileRows = 8;
inline constexpr int kInt8TileVectors = 3;
#else
inline constexpr int kInt8TileRows = 4;
inline constexpr int kInt8TileVectors = 2;
#endif

// See largest_row_integer.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
inline constexpr float kLargestRowInteger = 127;
#else
inline constexpr float kLargestRowInteger = 255;
#endif

// sum + the four products in each lane of unsigned bytes of a and signed bytes of b.
HWY_INLINE Int32Vector add_products(Int32Vector sum, Int32Vector a, Int32Vector b) {
#if HWY_TARGET == HWY_AVX3_DL
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
#elif HWY_TARGET == HWY_AVX3
  const __m512i pairs = _mm512_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, Int32Vector{_mm512_madd_epi16(pairs, _mm512_set1_epi16(1))});
#elif HWY_TARGET == HWY_AVX2
  const __m256i pairs = _mm256_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, Int32Vector{_mm256_madd_epi16(pairs, _mm256_set1_epi16(1))});
#elif HWY_TARGET == HWY_SSE4
  const __m128i pairs = _mm_maddubs_epi16(a.raw, b.raw);
  return hn::Add(sum, Int32Vector{_mm_madd_epi16(pairs, _mm_set1_epi16(1))});
#else
  const Int32Vector byte = hn::Set(Int32Tag(), 255);
  const auto add = [&](Int32Vector unsigned_byte, Int32Vector signed_byte) HWY_ATTR {
    sum = hn::Add(sum, hn::Mul(hn::And(unsigned_byte, byte), signed_byte));
  };
  add(a, hn::ShiftRight<24>(hn::ShiftLeft<24>(b)));
  add(hn::ShiftRight<8>(a), hn::ShiftRight<24>(hn::ShiftLeft<16>(b)));
  add(hn::ShiftRight<16>(a), hn::ShiftRight<24>(hn::ShiftLeft<8>(b)));
  add(hn::ShiftRight<24>(a), hn::ShiftRight<24>(b));
  return sum;
#endif
}

// c = (a b, with the scales) + bias. The integers of row r of a begin at a + r a_stride, those of
// the tile's first column at b.
struct Int8Tile {
  const uint8_t* a = nullptr;
  int64_t a_stride;
  const int8_t* b;
  int64_t sliver_bytes;
  int64_t first_in_sliver;  // the place of the tile's first column in its sliver
  int64_t groups;           // of four products
  float* c = nullptr;
  int64_t c_stride;
  int64_t columns;  // of c; the last vector may reach beyond them
  const Int8Row* rows = nullptr;
  const float* scales;
  const float* sums;
  const float* bias;  // null for none

  // Where the tile's v-th vector of columns begins.
  const int8_t* vector(int v) const {
    const int64_t column = first_in_sliver + v * kInt8Lanes;
    return b + column / Int8Weights::sliver_columns * sliver_bytes +
           (column % Int8Weights::sliver_columns - first_in_sliver) * Int8Weights::group_rows;
  }
};

template <int kRows, int kVectors>
using Int8Sums = Int32Vector[kRows][kVectors];

template <int kRows, int kVectors>
HWY_INLINE void add_group(const Int8Tile& t, int64_t group, const int8_t* const* b,
                          Int8Sums<kRows, kVectors>& sums) {
  const Int32Tag d;
  Int32Vector right[kVectors];
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v)
    right[v] =
        hn::LoadU(d, reinterpret_cast<const int32_t*>(b[v] + group * Int8Weights::group_bytes));
  HWY_UNROLL(8)
  for (int r = 0; r < kRows; ++r) {
    int32_t four;
    std::memcpy(&four, t.a + r * t.a_stride + group * Int8Weights::group_rows, sizeof four);
    const Int32Vector left = hn::Set(d, four);
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) sums[r][v] = add_products(sums[r][v], left, right[v]);
  }
}

template <int kRows, int kVectors>
HWY_INLINE void store_int8_tile(const Int8Tile& t, const Int8Sums<kRows, kVectors>& sums) {
  const Tag d;
  HWY_UNROLL(4)
  for (int v = 0; v < kVectors; ++v) {
    const int64_t column = v * kInt8Lanes, left = t.columns - column;
    // The padding of the weights reaches to the end of a sliver, that of c and the bias does not.
    const Vector scale = hn::LoadU(d, t.scales + column), sum = hn::LoadU(d, t.sums + column);
    const auto store = [&](auto at) HWY_ATTR {
      const Vector bias = t.bias == nullptr ? hn::Zero(d) : at.load(t.bias);
      HWY_UNROLL(8)
      for (int r = 0; r < kRows; ++r) {
        const Vector low = hn::Mul(hn::Set(d, t.rows[r].low), sum);
        const Vector value =
            hn::MulAdd(hn::ConvertTo(d, sums[r][v]), hn::Set(d, t.rows[r].scale), low);
        at.store(hn::MulAdd(value, scale, bias), t.c + r * t.c_stride);
      }
    };
    const size_t begin = static_cast<size_t>(column);
    if (left >= kInt8Lanes)
      store(WholeVector{begin});
    else
      store(PartialVector{begin, static_cast<size_t>(left)});
  }
}

template <int kRows, int kVectors>
HWY_NOINLINE void int8_tile_of(const Int8Tile& t) {
  // A sum of products takes several cycles: with few sums, even and odd groups need their own.
  constexpr int kChains = kRows * kVectors >= 8 ? 1 : kRows * kVectors >= 4 ? 2 : 4;
  Int8Sums<kRows, kVectors> sums[kChains];
  HWY_UNROLL(4)
  for (int chain = 0; chain < kChains; ++chain) {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) sums[chain][r][v] = hn::Zero(Int32Tag());
    }
  }
  const int8_t* b[kVectors];
  for (int v = 0; v < kVectors; ++v) b[v] = t.vector(v);
  int64_t group = 0;
  for (; group + kChains <= t.groups; group += kChains) {
    HWY_UNROLL(4)
    for (int chain = 0; chain < kChains; ++chain)
      add_group<kRows, kVectors>(t, group + chain, b, sums[chain]);
  }
  for (; group < t.groups; ++group) add_group<kRows, kVectors>(t, group, b, sums[0]);
  HWY_UNROLL(4)
  for (int chain = 1; chain < kChains; ++chain) {
    HWY_UNROLL(8)
    for (int r = 0; r < kRows; ++r) {
      HWY_UNROLL(4)
      for (int v = 0; v < kVectors; ++v) sums[0][r][v] = hn::Add(sums[0][r][v], sums[chain][r][v]);
    }
  }
  store_int8_tile<kRows, kVectors>(t, sums[0]);
}

template <int kVectors, int... kRows>
constexpr std::array<void (*)(const Int8Tile&), sizeof...(kRows)> int8_tiles(
    std::integer_sequence<int, kRows...>) {
  return {&int8_tile_of<kRows + 1, kVectors>...};
}

template <int kVectors>
inline constexpr auto kInt8Tiles =
    int8_tiles<kVectors>(std::make_integer_sequence<int, kInt8TileRows>());

// A tile of at most kInt8TileRows rows and kInt8TileVectors vectors.
HWY_INLINE void int8_tile(int64_t rows, const Int8Tile& t) {
  const size_t index = static_cast<size_t>(rows - 1);
  if (t.columns > 2 * kInt8Lanes) {
    if constexpr (kInt8TileVectors >= 3) kInt8Tiles<3>[index](t);
  } else if (t.columns > kInt8Lanes) {
    kInt8Tiles<2>[index](t);
  } else {
    kInt8Tiles<1>[index](t);
  }
}

// Writes whole vectors. A row that is not finite becomes one whose lowest number is NaN.
HWY_INLINE Int8Row quantise_row(const float* row, size_t size, uint8_t* to) {
  const Tag d;
  Vector lowest = hn::Set(d, std::numeric_limits<float>::infinity()), highest = hn::Neg(lowest);
  Vector poison = hn::Zero(d);
  const auto look = [&](auto at, auto keep) HWY_ATTR {
    const Vector x = at.load(row);
    lowest = keep(hn::Min(lowest, x), lowest);
    highest = keep(hn::Max(highest, x), highest);
    poison = hn::MulAdd(x, hn::Zero(d), poison);
  };
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes)
    look(WholeVector{i}, [](Vector seen, Vector) HWY_ATTR { return seen; });
  if (i < size) {
    const PartialVector last{i, size - i};
    look(last, [&](Vector seen, Vector before)
                   HWY_ATTR { return hn::IfThenElse(last.mask(), seen, before); });
  }
  const float low = hn::GetLane(hn::MinOfLanes(d, lowest)),
              high = hn::GetLane(hn::MaxOfLanes(d, highest));
  const float range = high - low;
  const Vector lows = hn::Set(d, low),
               inverse = hn::Set(
                   d, range > Int8Scale::smallest_range ? kLargestRowInteger / range : 0.0f);
  const hn::Rebind<uint8_t, Tag> bytes;
  for_each_vector(size, [&](auto at) HWY_ATTR {
    const Int32Vector integers = hn::NearestInt(hn::Mul(hn::Sub(at.load(row), lows), inverse));
    hn::StoreU(hn::DemoteTo(bytes, integers), bytes, to + at.i);
  });
  return {low + hn::GetLane(hn::SumOfLanes(d, poison)), range / kLargestRowInteger};
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
