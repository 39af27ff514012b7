// Register tiles of streamed attention. All of its products have one form: c(r, :) = Σ_k a(r, k) ∘ b(k, :), where a's
// numbers are broadcast and b's and c's rows are read in whole vectors, so that nothing but the queries is ever
// transposed. What ∘ is, and where the sums go, are parameters.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_TILE_INL_H_
#undef HEED_KERNELS_ATTENTION_TILE_INL_H_
#else
#define HEED_KERNELS_ATTENTION_TILE_INL_H_
#endif

#include <algorithm>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using FloatTag = hn::ScalableTag<float>;
using Vector = hn::Vec<FloatTag>;
constexpr int64_t kLanes = hn::MaxLanes(FloatTag());

constexpr int64_t round_up(int64_t count, int64_t multiple) { return (count + multiple - 1) / multiple * multiple; }
constexpr int64_t whole_vectors(int64_t count) { return (count + kLanes - 1) / kLanes; }

// Rows that may be read, or written, in whole vectors.
template <typename T>
struct Rows {
  T* data = nullptr;
  int64_t stride = 0;

  T* row(int64_t index) const { return data + index * stride; }
};

// Stops the compiler from folding a broadcast into each multiply-add that uses it, which would load it many times.
HWY_INLINE void keep_in_register(Vector& x) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  asm("" : "+v"(x.raw));
#elif HWY_ARCH_X86
  asm("" : "+x"(x.raw));
#else
  (void)x;
#endif
}

// How many vectors wide and rows high a tile is at most: as many sums as there are registers, less those for b's row
// and for the broadcast number.
#if HWY_TARGET <= HWY_AVX3
constexpr int kTileVectors = 4;
constexpr int kTileRowsWide = 6;    // for tiles of more than two vectors
constexpr int kTileRowsNarrow = 8;
#else
constexpr int kTileVectors = 2;
constexpr int kTileRowsWide = 6;
constexpr int kTileRowsNarrow = 6;
#endif

// The sums of c += a b.
struct Multiply {
  static constexpr int kVectors = kTileVectors;
  static constexpr int kRows(int64_t vectors) { return vectors > 2 ? kTileRowsWide : kTileRowsNarrow; }

  Multiply at(int64_t /*row*/, int64_t /*column*/) const { return *this; }
  HWY_INLINE Vector step(int64_t /*k*/, int /*r*/, int /*v*/, Vector x, Vector y, Vector sum) const {
    return hn::MulAdd(x, y, sum);
  }
};

// Where a's numbers are: a(r, k) is data[r * stride + k] along rows, data[r + k * stride] across them.
enum class Layout { along, across };

template <Layout kLayout>
struct Left {
  const float* data;
  int64_t stride;

  Left at(int64_t row, int64_t step) const {
    return {data + (kLayout == Layout::along ? row * stride + step : row + step * stride), stride};
  }
};
using Along = Left<Layout::along>;
using Across = Left<Layout::across>;

template <int kRows, int kVectors, Layout kLayout, class Operation, class Finish>
HWY_NOINLINE void tile(Left<kLayout> a, Rows<const float> b, int64_t steps, Operation operation, Finish finish) {
  const FloatTag d;
  Vector sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(d);
  const float* rows[kRows];
  for (int r = 0; r < kRows; ++r) rows[r] = a.data + (kLayout == Layout::along ? r * a.stride : r);
  const float* y_row = b.data;
  for (int64_t k = 0; k < steps; ++k) {
    Vector y[kVectors];
    for (int v = 0; v < kVectors; ++v) y[v] = hn::LoadU(d, y_row + v * kLanes);
    for (int r = 0; r < kRows; ++r) {
      Vector x = hn::Set(d, kLayout == Layout::along ? rows[r][k] : a.data[r]);
      if (kVectors > 1) keep_in_register(x);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = operation.step(k, r, v, x, y[v], sums[r][v]);
    }
    y_row += b.stride;
    if (kLayout == Layout::across) a.data += a.stride;
  }
  finish.template finish<kRows, kVectors>(sums);
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

// One row of tiles: `rows` rows (at most Operation::kRows(vectors)) of c, all of their vectors.
template <Layout kLayout, class Operation, class Finish>
HWY_INLINE void multiply_rows(int64_t rows, int64_t vectors, Left<kLayout> a, Rows<const float> b, int64_t steps,
                              const Operation& operation, const Finish& finish) {
  int64_t v = 0;
  const auto columns = [&](int64_t first) { return Rows<const float>{b.data + first * kLanes, b.stride}; };
  if constexpr (Operation::kVectors >= 4) {
    for (; v + 4 <= vectors; v += 4)
      tile_of_height<Operation::kRows(4), 4>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                                             finish.at(0, v * kLanes));
  }
  if constexpr (Operation::kVectors >= 2) {
    for (; v + 2 <= vectors; v += 2)
      tile_of_height<Operation::kRows(2), 2>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                                             finish.at(0, v * kLanes));
  }
  for (; v < vectors; ++v)
    tile_of_height<Operation::kRows(1), 1>(rows, a, columns(v), steps, operation.at(0, v * kLanes),
                                           finish.at(0, v * kLanes));
}

// A run of indices cut into pieces of nearly equal length, so that no tile is left with few rows.
class Pieces {
 public:
  struct Piece {
    int64_t begin;
    int64_t end;
    int64_t size() const { return end - begin; }
  };

  Pieces(int64_t begin, int64_t end, int64_t most)
      : begin_(begin), size_(std::max<int64_t>(end - begin, 0)), pieces_((size_ + most - 1) / most) {}

  class Iterator {
   public:
    Iterator(int64_t at, int64_t left, int64_t pieces) : at_(at), left_(left), pieces_(pieces) { measure(); }
    Piece operator*() const { return {at_, at_ + length_}; }
    Iterator& operator++() {
      at_ += length_;
      left_ -= length_;
      --pieces_;
      measure();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return pieces_ != other.pieces_; }

   private:
    void measure() { length_ = pieces_ > 0 ? (left_ + pieces_ - 1) / pieces_ : 0; }

    int64_t at_;
    int64_t left_;
    int64_t pieces_;
    int64_t length_ = 0;
  };

  Iterator begin() const { return {begin_, size_, pieces_}; }
  Iterator end() const { return {begin_ + size_, 0, 0}; }

 private:
  int64_t begin_;
  int64_t size_;
  int64_t pieces_;
};

// c = sums
struct Store {
  Rows<float> c;

  Store at(int64_t row, int64_t column) const { return {{c.row(row) + column, c.stride}}; }
  template <int kRows, int kVectors>
  HWY_INLINE void finish(const Vector (&sums)[kRows][kVectors]) const {
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], FloatTag(), c.row(r) + v * kLanes);
  }
};

// c = factor sums
struct StoreScaled {
  Rows<float> c;
  float factor;

  StoreScaled at(int64_t row, int64_t column) const { return {{c.row(row) + column, c.stride}, factor}; }
  template <int kRows, int kVectors>
  HWY_INLINE void finish(const Vector (&sums)[kRows][kVectors]) const {
    const FloatTag d;
    const Vector scale = hn::Set(d, factor);
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) hn::StoreU(hn::Mul(scale, sums[r][v]), d, c.row(r) + v * kLanes);
  }
};

// c += factor sums
struct AddScaled {
  Rows<float> c;
  float factor;

  AddScaled at(int64_t row, int64_t column) const { return {{c.row(row) + column, c.stride}, factor}; }
  template <int kRows, int kVectors>
  HWY_INLINE void finish(const Vector (&sums)[kRows][kVectors]) const {
    const FloatTag d;
    const Vector scale = hn::Set(d, factor);
    for (int r = 0; r < kRows; ++r)
      for (int v = 0; v < kVectors; ++v) {
        float* to = c.row(r) + v * kLanes;
        hn::StoreU(hn::MulAdd(scale, sums[r][v], hn::LoadU(d, to)), d, to);
      }
  }
};

// c(r, :) = factors[r] c(r, :) + sums, or c = sums the first time, when c holds nothing yet.
struct Rescale {
  Rows<float> c;
  const float* factors;
  bool first;

  Rescale at(int64_t row, int64_t column) const { return {{c.row(row) + column, c.stride}, factors + row, first}; }
  template <int kRows, int kVectors>
  HWY_INLINE void finish(const Vector (&sums)[kRows][kVectors]) const {
    if (first) return Store{c}.finish<kRows, kVectors>(sums);
    const FloatTag d;
    for (int r = 0; r < kRows; ++r) {
      const Vector factor = hn::Set(d, factors[r]);
      for (int v = 0; v < kVectors; ++v) {
        float* to = c.row(r) + v * kLanes;
        hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, to), sums[r][v]), d, to);
      }
    }
  }
};

// line += the sums of all rows
struct AddRows {
  float* line;

  AddRows at(int64_t /*row*/, int64_t column) const { return {line + column}; }
  template <int kRows, int kVectors>
  HWY_INLINE void finish(const Vector (&sums)[kRows][kVectors]) const {
    const FloatTag d;
    for (int v = 0; v < kVectors; ++v) {
      Vector total = hn::LoadU(d, line + v * kLanes);
      for (int r = 0; r < kRows; ++r) total = hn::Add(total, sums[r][v]);
      hn::StoreU(total, d, line + v * kLanes);
    }
  }
};

#if HWY_TARGET != HWY_SCALAR
// Four numbers of rows i, 4 + i, 8 + i, ...: as many rows as a vector has blocks of four lanes.
HWY_INLINE Vector load_quarters(const float* const* rows, int i, int64_t column) {
  const FloatTag d;
  const hn::CappedTag<float, 4> four;
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<FloatTag> half;
  const auto low = hn::Combine(half, hn::LoadU(four, rows[4 + i] + column), hn::LoadU(four, rows[i] + column));
  const auto high = hn::Combine(half, hn::LoadU(four, rows[12 + i] + column), hn::LoadU(four, rows[8 + i] + column));
  return hn::Combine(d, high, low);
#elif HWY_TARGET == HWY_AVX2
  return hn::Combine(d, hn::LoadU(four, rows[4 + i] + column), hn::LoadU(four, rows[i] + column));
#else
  (void)four;
  return hn::LoadU(d, rows[i] + column);
#endif
}

// to(c, :) = factor times column c of the kLanes rows, for c from `column` to `column + 3`.
HWY_INLINE void transpose_four(const float* const* rows, int64_t column, Vector factor, Rows<float> to) {
  const FloatTag d;
  const Vector v0 = load_quarters(rows, 0, column), v1 = load_quarters(rows, 1, column);
  const Vector v2 = load_quarters(rows, 2, column), v3 = load_quarters(rows, 3, column);
  const Vector even_low = hn::InterleaveLower(d, v0, v2), odd_low = hn::InterleaveLower(d, v1, v3);
  const Vector even_high = hn::InterleaveUpper(d, v0, v2), odd_high = hn::InterleaveUpper(d, v1, v3);
  hn::StoreU(hn::Mul(factor, hn::InterleaveLower(d, even_low, odd_low)), d, to.row(column));
  hn::StoreU(hn::Mul(factor, hn::InterleaveUpper(d, even_low, odd_low)), d, to.row(column + 1));
  hn::StoreU(hn::Mul(factor, hn::InterleaveLower(d, even_high, odd_high)), d, to.row(column + 2));
  hn::StoreU(hn::Mul(factor, hn::InterleaveUpper(d, even_high, odd_high)), d, to.row(column + 3));
}
#endif

// to(c, r) = factor from(r, c). Rows from `rows` to the next whole vector become zeros; `zeros` has `columns` of them.
inline void transpose(Rows<const float> from, int64_t rows, int64_t columns, float factor, Rows<float> to,
                      const float* zeros) {
  for (int64_t first = 0; first < rows; first += kLanes) {
    const float* row[kLanes];
    for (int64_t r = 0; r < kLanes; ++r) row[r] = first + r < rows ? from.row(first + r) : zeros;
    const Rows<float> lanes = {to.data + first, to.stride};
    int64_t c = 0;
#if HWY_TARGET != HWY_SCALAR
    const Vector scale = hn::Set(FloatTag(), factor);
    for (; c + 4 <= columns; c += 4) transpose_four(row, c, scale, lanes);
#endif
    for (; c < columns; ++c)
      for (int64_t r = 0; r < kLanes; ++r) lanes.row(c)[r] = factor * row[r][c];
  }
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
