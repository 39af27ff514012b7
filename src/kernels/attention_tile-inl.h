// Register tiles of streamed attention. All of its products have one form: c(r, :) = Σ_k a(r, k) ∘
// b(k, :), where a's numbers are broadcast and b's and c's rows are read in whole vectors, so that
// nothing but the queries is ever transposed. What ∘ is, and where the sums go, are parameters.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_TILE_INL_H_
#undef HEED_KERNELS_ATTENTION_TILE_INL_H_
#else
#define HEED_KERNELS_ATTENTION_TILE_INL_H_
#endif

#include <algorithm>
#include <utility>

#include <hwy/highway.h>

#include "heed/base/round_up.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Vector = hn::Vec<FloatTag>;
constexpr int64_t kLanes = hn::MaxLanes(FloatTag());

constexpr int64_t whole_vectors(int64_t count) { return divide_up(count, kLanes); }

// Rows that may be read, or written, in whole vectors.
template <typename T>
struct Rows {
  T* data = nullptr;
  int64_t stride = 0;

  T* row(int64_t index) const { return data + index * stride; }
};

// Stops the compiler from folding a broadcast into each multiply-add that uses it, which would load
// it many times.
HWY_INLINE void keep_in_register(Vector& x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  asm("" : "+v"(x.raw));
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_EMU128
  asm("" : "+x"(x.raw));
#else
  (void)x;
#endif
}

// The maximum width of tiles in vectors, and the height for each width: as many sums as there are
// registers, minus those for b's row and the broadcast number, but enough to hide the latency of
// multiply-adds.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileVectors = 4;
constexpr int kTileRows[] = {0, 8, 8, 8, 6};
#else
constexpr int kTileVectors = 2;
constexpr int kTileRows[] = {0, 8, 6, 4};
#endif

// The sums of c += a b.
struct Multiply {
  static constexpr int kVectors = kTileVectors;
  static constexpr int rows(int vectors) { return kTileRows[vectors]; }

  Multiply at(int64_t /*row*/, int64_t /*column*/) const { return *this; }
  HWY_INLINE Vector step(int64_t /*k*/, int /*r*/, int /*v*/, Vector x, Vector y,
                         Vector sum) const {
    return hn::MulAdd(x, y, sum);
  }
};

// Where a's numbers are: a(r, k) is data[r * stride + k] along rows, data[r + k * stride] across
// them.
enum class Layout { along, across };

template <Layout kLayout>
struct Left {
  const float* data;
  int64_t stride;
};
using Along = Left<Layout::along>;
using Across = Left<Layout::across>;

// The loops over a tile's sums are unrolled with index sequences: only sums with constant indices
// stay in registers from the first to the last use.
template <int kCount>
using Indices = std::make_integer_sequence<int, kCount>;

template <int... kColumn>
HWY_INLINE void load_row(const float* from, Vector* y, std::integer_sequence<int, kColumn...>) {
  ((y[kColumn] = hn::LoadU(FloatTag(), from + kColumn * kLanes)), ...);
}

template <int kRow, class Operation, int... kColumn>
HWY_INLINE void step_row(int64_t k, Vector x, const Vector* y, Vector* sums,
                         const Operation& operation, std::integer_sequence<int, kColumn...>) {
  if constexpr (sizeof...(kColumn) > 1) keep_in_register(x);
  ((sums[kColumn] = operation.step(k, kRow, kColumn, x, y[kColumn], sums[kColumn])), ...);
}

template <int kVectors, Layout kLayout, class Operation, int... kRow>
HWY_INLINE void step_rows(int64_t k, const float* const* rows, const Vector* y, Vector* sums,
                          const Operation& operation, std::integer_sequence<int, kRow...>) {
  (step_row<kRow>(k, hn::Set(FloatTag(), kLayout == Layout::along ? rows[kRow][k] : rows[0][kRow]),
                  y, sums + kRow * kVectors, operation, Indices<kVectors>()),
   ...);
}

template <int kVectors, class Finish, int... kIndex>
HWY_INLINE void finish_sums(const Vector* sums, const Finish& finish,
                            std::integer_sequence<int, kIndex...>) {
  (finish.put(kIndex / kVectors, kIndex % kVectors, sums[kIndex]), ...);
}

template <int... kIndex>
HWY_INLINE void clear_sums(Vector* sums, std::integer_sequence<int, kIndex...>) {
  ((sums[kIndex] = hn::Zero(FloatTag())), ...);
}

template <Layout kLayout, int... kRow>
HWY_INLINE void point_to_rows(Left<kLayout> a, const float** rows,
                              std::integer_sequence<int, kRow...>) {
  rows[0] = a.data;
  if constexpr (kLayout == Layout::along) ((rows[kRow + 1] = rows[kRow] + a.stride), ...);
}

template <int kRows, int kVectors, Layout kLayout, class Operation, class Finish>
HWY_NOINLINE void tile(Left<kLayout> a, Rows<const float> b, int64_t steps, Operation operation,
                       Finish finish) {
  Vector sums[kRows * kVectors];
  clear_sums(sums, Indices<kRows * kVectors>());
  const float* rows[kRows];
  point_to_rows(a, rows, Indices<kRows - 1>());
  const float* y_row = b.data;
  for (int64_t k = 0; k < steps; ++k) {
    Vector y[kVectors];
    load_row(y_row, y, Indices<kVectors>());
    step_rows<kVectors, kLayout>(k, rows, y, sums, operation, Indices<kRows>());
    y_row += b.stride;
    if constexpr (kLayout == Layout::across) rows[0] += a.stride;
  }
  finish_sums<kVectors>(sums, finish, Indices<kRows * kVectors>());
}

template <int kRows, int kVectors, Layout kLayout, class Operation, class Finish>
HWY_INLINE void tile_of_height(int64_t rows, Left<kLayout> a, Rows<const float> b, int64_t steps,
                               const Operation& operation, const Finish& finish) {
  if constexpr (kRows == 1) {
    tile<1, kVectors>(a, b, steps, operation, finish);
  } else if (rows == kRows) {
    tile<kRows, kVectors>(a, b, steps, operation, finish);
  } else {
    tile_of_height<kRows - 1, kVectors>(rows, a, b, steps, operation, finish);
  }
}

// How many rows `multiply_rows` takes at once, for a given number of vectors in c.
template <class Operation>
constexpr int most_rows(int64_t vectors) {
  constexpr int kWidest = std::min(3, Operation::kVectors + 1);
  if (vectors <= kWidest) return Operation::rows(static_cast<int>(vectors));
  return Operation::rows(Operation::kVectors);
}

// `rows` rows of c, at most as many as `most_rows` says, by tiles of the widest kind, and narrower
// ones for what is left.
template <Layout kLayout, class Operation, class Finish>
HWY_INLINE void multiply_rows(int64_t rows, int64_t vectors, Left<kLayout> a, Rows<const float> b,
                              int64_t steps, const Operation& operation, const Finish& finish) {
  const auto columns = [&](int64_t v) { return Rows<const float>{b.data + v * kLanes, b.stride}; };
  constexpr int kWide = Operation::kVectors;
  constexpr int kThree = Operation::rows(3);
  int64_t v = 0;
  if (kWide > 3 || vectors != 3 || rows > kThree)
    for (; v + kWide <= vectors; v += kWide)
      tile_of_height<Operation::rows(kWide), kWide>(
          rows, a, columns(v), steps, operation.at(0, v * kLanes), finish.at(0, v * kLanes));
  if (vectors - v == 3 && rows <= kThree) {
    tile_of_height<kThree, 3>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                              finish.at(0, v * kLanes));
    v += 3;
  }
  if (vectors - v >= 2) {
    tile_of_height<Operation::rows(2), 2>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                                          finish.at(0, v * kLanes));
    v += 2;
  }
  if (vectors - v == 1)
    tile_of_height<Operation::rows(1), 1>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                                          finish.at(0, v * kLanes));
}

// The indices [begin, end).
struct Run {
  int64_t begin;
  int64_t end;

  int64_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
};

inline Run common(Run a, Run b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

// A run cut into pieces of nearly equal length, so that no tile is left with few rows.
class Pieces {
 public:
  Pieces(Run run, int64_t most)
      : run_(run), pieces_(run.empty() ? 0 : divide_up(run.size(), most)) {}

  class Iterator {
   public:
    Iterator(Run rest, int64_t pieces) : rest_(rest), pieces_(pieces) { measure(); }
    Run operator*() const { return {rest_.begin, rest_.begin + length_}; }
    Iterator& operator++() {
      rest_.begin += length_;
      --pieces_;
      measure();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return pieces_ != other.pieces_; }

   private:
    void measure() { length_ = pieces_ > 0 ? divide_up(rest_.size(), pieces_) : 0; }

    Run rest_;
    int64_t pieces_;
    int64_t length_ = 0;
  };

  Iterator begin() const { return {run_, pieces_}; }
  Iterator end() const { return {run_, 0}; }

 private:
  Run run_;
  int64_t pieces_;
};

// c = sums
struct Store {
  Rows<float> c;

  Store at(int64_t row, int64_t column) const { return {{c.row(row) + column, c.stride}}; }
  HWY_INLINE void put(int r, int v, Vector sum) const {
    hn::StoreU(sum, FloatTag(), c.row(r) + v * kLanes);
  }
};

// c = factor sums
struct StoreScaled {
  Rows<float> c;
  float factor;

  StoreScaled at(int64_t row, int64_t column) const {
    return {{c.row(row) + column, c.stride}, factor};
  }
  HWY_INLINE void put(int r, int v, Vector sum) const {
    const FloatTag d;
    hn::StoreU(hn::Mul(hn::Set(d, factor), sum), d, c.row(r) + v * kLanes);
  }
};

// c += factor sums
struct AddScaled {
  Rows<float> c;
  float factor;

  AddScaled at(int64_t row, int64_t column) const {
    return {{c.row(row) + column, c.stride}, factor};
  }
  HWY_INLINE void put(int r, int v, Vector sum) const {
    const FloatTag d;
    float* to = c.row(r) + v * kLanes;
    hn::StoreU(hn::MulAdd(hn::Set(d, factor), sum, hn::LoadU(d, to)), d, to);
  }
};

// c(r, :) = factors[r] c(r, :) + sums, or c = sums the first time, when c holds nothing yet. The
// last time, the result goes to `end`, times norms[r].
struct Rescale {
  Rows<float> c;
  const float* factors;
  bool first;
  bool last;
  Rows<float> end;
  const float* norms;

  Rescale at(int64_t row, int64_t column) const {
    Rescale moved = *this;
    moved.c.data += row * c.stride + column;
    moved.end.data += row * end.stride + column;
    moved.factors += row;
    moved.norms += row;
    return moved;
  }
  HWY_INLINE void put(int r, int v, Vector sum) const {
    const FloatTag d;
    float* to = c.row(r) + v * kLanes;
    if (!first) sum = hn::MulAdd(hn::Set(d, factors[r]), hn::LoadU(d, to), sum);
    if (!last) return hn::StoreU(sum, d, to);
    hn::StoreU(hn::Mul(hn::Set(d, norms[r]), sum), d, end.row(r) + v * kLanes);
  }
};

// line += the sums of all rows
struct AddRows {
  float* line;

  AddRows at(int64_t /*row*/, int64_t column) const { return {line + column}; }
  HWY_INLINE void put(int /*r*/, int v, Vector sum) const {
    const FloatTag d;
    hn::StoreU(hn::Add(sum, hn::LoadU(d, line + v * kLanes)), d, line + v * kLanes);
  }
};

#if HWY_TARGET != HWY_SCALAR
// Four numbers of as many rows as a vector has blocks of four lanes; the rows are `stride` apart.
HWY_INLINE Vector load_quarters(const float* from, int64_t stride) {
  const FloatTag d;
  const hn::CappedTag<float, 4> four;
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<FloatTag> half;
  const auto low = hn::Combine(half, hn::LoadU(four, from + stride), hn::LoadU(four, from));
  const auto high =
      hn::Combine(half, hn::LoadU(four, from + 3 * stride), hn::LoadU(four, from + 2 * stride));
  return hn::Combine(d, high, low);
#elif HWY_TARGET == HWY_AVX2
  return hn::Combine(d, hn::LoadU(four, from + stride), hn::LoadU(four, from));
#else
  (void)four;
  (void)stride;
  return hn::LoadU(d, from);
#endif
}

// to(c, :) = factor from(:, c), for four columns of kLanes rows.
HWY_INLINE void transpose_four(Rows<const float> from, Vector factor, Rows<float> to) {
  const FloatTag d;
  const Vector v0 = load_quarters(from.row(0), 4 * from.stride),
               v1 = load_quarters(from.row(1), 4 * from.stride);
  const Vector v2 = load_quarters(from.row(2), 4 * from.stride),
               v3 = load_quarters(from.row(3), 4 * from.stride);
  const Vector even_low = hn::InterleaveLower(d, v0, v2), odd_low = hn::InterleaveLower(d, v1, v3);
  const Vector even_high = hn::InterleaveUpper(d, v0, v2),
               odd_high = hn::InterleaveUpper(d, v1, v3);
  hn::StoreU(hn::Mul(factor, hn::InterleaveLower(d, even_low, odd_low)), d, to.row(0));
  hn::StoreU(hn::Mul(factor, hn::InterleaveUpper(d, even_low, odd_low)), d, to.row(1));
  hn::StoreU(hn::Mul(factor, hn::InterleaveLower(d, even_high, odd_high)), d, to.row(2));
  hn::StoreU(hn::Mul(factor, hn::InterleaveUpper(d, even_high, odd_high)), d, to.row(3));
}
#endif

// to(c, r) = factor from(r, c), for kLanes rows.
inline void transpose_lanes(Rows<const float> from, int64_t columns, float factor, Rows<float> to) {
  int64_t fours = 0;
#if HWY_TARGET != HWY_SCALAR
  fours = columns / 4 * 4;
  const Vector scale = hn::Set(FloatTag(), factor);
  for (int64_t c = 0; c < fours; c += 4)
    transpose_four({from.data + c, from.stride}, scale, {to.row(c), to.stride});
#endif
  for (int64_t c = fours; c < columns; ++c)
    for (int64_t r = 0; r < kLanes; ++r) to.row(c)[r] = factor * from.row(r)[c];
}

// to(c, r) = factor from(r, c). Rows from `rows` to the next whole vector become zeros; they pass
// through `padding`, which holds kLanes rows.
inline void transpose(Rows<const float> from, int64_t rows, int64_t columns, float factor,
                      Rows<float> to, float* padding) {
  int64_t r = 0;
  for (; r + kLanes <= rows; r += kLanes)
    transpose_lanes({from.row(r), from.stride}, columns, factor, {to.data + r, to.stride});
  if (r == rows) return;
  for (int64_t last = r; last < rows; ++last)
    std::copy_n(from.row(last), columns, padding + (last - r) * columns);
  std::fill(padding + (rows - r) * columns, padding + kLanes * columns, 0.0f);
  transpose_lanes({padding, columns}, columns, factor, {to.data + r, to.stride});
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
