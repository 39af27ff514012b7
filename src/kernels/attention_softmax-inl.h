// The element-wise stages of streamed attention, on a tile of scores that lies keys by queries: a
// vector holds one key of kLanes queries, so that maxima and sums over the keys need no movement
// across lanes. Scores are in units of log 2, which makes their exponential a power of two.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_SOFTMAX_INL_H_
#undef HEED_KERNELS_ATTENTION_SOFTMAX_INL_H_
#else
#define HEED_KERNELS_ATTENTION_SOFTMAX_INL_H_
#endif

#include "heed/kernels/attention.h"
#include "heed/kernels/attention_tile-inl.h"
#include "heed/kernels/dropout.h"
#include "heed/kernels/vector_math-inl.h"
#include "heed/kernels/vector_random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

// No score is lower, except masked ones, which are -infinity.
constexpr float kLowest = -3.402823466e38f;

// 2^x with a relative error below 2e-7, for x up to 126. Results below 2^-100 become 2^-100:
// negligible next to the largest weight of a row, which is 1, but large enough to keep products
// with it normal.
HWY_INLINE Vector exp2(Vector x) {
  const FloatTag d;
  const hn::RebindToSigned<FloatTag> di;
  x = kernels::HWY_NAMESPACE::at_least(d, -100.0f, x);
  // Adding 1.5 · 2^23 rounds x to an integer, which then stands in the low bits.
  const Vector magic = hn::Set(d, 12582912.0f);
  const Vector shifted = hn::Add(x, magic);
  const Vector r = hn::Sub(x, hn::Sub(shifted, magic));
  Vector p = hn::Set(d, 1.326472725e-3f);
  p = hn::MulAdd(p, r, hn::Set(d, 9.671512688e-3f));
  p = hn::MulAdd(p, r, hn::Set(d, 5.550733744e-2f));
  p = hn::MulAdd(p, r, hn::Set(d, 2.402224208e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 6.931469776e-1f));
  p = hn::MulAdd(p, r, hn::Set(d, 1.0f));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, p), hn::ShiftLeft<23>(hn::BitCast(di, shifted))));
}

// 2^(score - shift), and exactly 0 for a masked score where scores may be masked.
template <bool kMasked>
HWY_INLINE Vector weight_of(Vector score, Vector shift) {
  const Vector weight = exp2(hn::Sub(score, shift));
  // NaN does not compare as lower: it must not vanish.
  if constexpr (kMasked)
    return hn::IfThenZeroElse(hn::Lt(score, hn::Set(FloatTag(), kLowest)), weight);
  return weight;
}

// Raises the largest scores of kLanes queries to those of the given keys, a column of the tile, and
// sets by how much the weights relative to the earlier ones shrink.
HWY_INLINE void raise_largest(Rows<const float> column, Run keys, float* largest, float* factors) {
  const FloatTag d;
  const Vector before = hn::Load(d, largest);
  Vector m0 = before, m1 = before, m2 = before, m3 = before;
  int64_t k = keys.begin;
  for (; k + 4 <= keys.end; k += 4) {
    m0 = hn::Max(m0, hn::LoadU(d, column.row(k)));
    m1 = hn::Max(m1, hn::LoadU(d, column.row(k + 1)));
    m2 = hn::Max(m2, hn::LoadU(d, column.row(k + 2)));
    m3 = hn::Max(m3, hn::LoadU(d, column.row(k + 3)));
  }
  for (; k < keys.end; ++k) m0 = hn::Max(m0, hn::LoadU(d, column.row(k)));
  const Vector now = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  hn::Store(now, d, largest);
  hn::Store(exp2(hn::Sub(before, now)), d, factors);
}

// Scores to weights relative to the largest score, which are added to the shrunk sums.
template <bool kMasked>
HWY_INLINE void softmax_column(Rows<float> column, Run keys, const float* largest,
                               const float* factors, float* sums) {
  const FloatTag d;
  const Vector shift = hn::Load(d, largest);
  Vector even = hn::Mul(hn::Load(d, factors), hn::Load(d, sums)), odd = hn::Zero(d);
  int64_t k = keys.begin;
  for (; k + 2 <= keys.end; k += 2) {
    const Vector w0 = weight_of<kMasked>(hn::LoadU(d, column.row(k)), shift);
    const Vector w1 = weight_of<kMasked>(hn::LoadU(d, column.row(k + 1)), shift);
    hn::StoreU(w0, d, column.row(k));
    hn::StoreU(w1, d, column.row(k + 1));
    even = hn::Add(even, w0);
    odd = hn::Add(odd, w1);
  }
  if (k < keys.end) {
    const Vector w = weight_of<kMasked>(hn::LoadU(d, column.row(k)), shift);
    hn::StoreU(w, d, column.row(k));
    even = hn::Add(even, w);
  }
  hn::Store(hn::Add(even, odd), d, sums);
}

// The same if the sums are already known: weight = norm 2^(score - largest).
template <bool kMasked>
HWY_INLINE void weights_column(Rows<float> column, Run keys, const float* largest,
                               const float* norms) {
  const FloatTag d;
  const Vector shift = hn::Load(d, largest), norm = hn::Load(d, norms);
  for (int64_t k = keys.begin; k < keys.end; ++k)
    hn::StoreU(hn::Mul(norm, weight_of<kMasked>(hn::LoadU(d, column.row(k)), shift)), d,
               column.row(k));
}

using WordTag = hn::RebindToUnsigned<FloatTag>;
using Words = hn::Vec<WordTag>;

// Which weights of a tile are kept.
class Dropout {
 public:
  explicit Dropout(const AttentionHead<float>& head)
      : threshold_(dropout_threshold(head.dropout)),
        key_(head.dropout_key),
        keys_(head.keys.rows) {}

  bool active() const { return threshold_ != 0; }

  // The positions of (query + lane, key) for all lanes.
  HWY_INLINE Words positions(int64_t query, int64_t key) const {
    const WordTag d;
    const auto first = static_cast<uint32_t>(query * keys_ + key);
    return hn::Add(hn::Mul(hn::Iota(d, 0), hn::Set(d, static_cast<uint32_t>(keys_))),
                   hn::Set(d, first));
  }

  // `x` where the weights at these positions are kept, else 0.
  HWY_INLINE Vector kept(Words positions, Vector x) const {
    return kernels::HWY_NAMESPACE::vector_keep(FloatTag(), key_, positions, threshold_, x);
  }

 private:
  uint32_t threshold_;
  RandomKey key_;
  int64_t keys_;
};

HWY_INLINE void drop_column(Rows<float> column, Run keys, const Dropout& dropout, Words positions) {
  const FloatTag d;
  const Words one = hn::Set(WordTag(), 1u);
  for (int64_t k = keys.begin; k < keys.end; ++k) {
    hn::StoreU(dropout.kept(positions, hn::LoadU(d, column.row(k))), d, column.row(k));
    positions = hn::Add(positions, one);
  }
}

// The end of a tile of the weights' gradients dw: the scores' gradients ds = w (dw - Σ_j w_j dw_j).
// `means` holds the sums, one per query.
struct StoreScoreGradient {
  Rows<float> gradients;
  const float* weights;  // as `gradients`
  const float* means;

  StoreScoreGradient at(int64_t row, int64_t column) const {
    return {{gradients.row(row) + column, gradients.stride},
            weights + row * gradients.stride + column,
            means + column};
  }
  HWY_INLINE void put(int r, int v, Vector sum) const {
    const FloatTag d;
    const int64_t at = r * gradients.stride + v * kLanes;
    const Vector weight = hn::LoadU(d, weights + at);
    const Vector mean = hn::Load(d, means + v * kLanes);
    hn::StoreU(hn::Mul(weight, hn::Sub(sum, mean)), d, gradients.data + at);
  }
};

// The same with dropout, from the finished tile: ds = w ((kept ? dw / (1 - rate) : 0) - mean). Then
// the dropped weights become 0.
HWY_INLINE void drop_gradients_column(Rows<float> weights, Rows<float> gradients, Run keys,
                                      const float* means, const Dropout& dropout, Words positions,
                                      float growth) {
  const FloatTag d;
  const Vector mean = hn::Load(d, means);
  const Words one = hn::Set(WordTag(), 1u);
  const Vector grown = hn::Set(d, growth);
  for (int64_t k = keys.begin; k < keys.end; ++k) {
    const Vector weight = hn::LoadU(d, weights.row(k));
    const Vector factor = dropout.kept(positions, grown);
    const Vector difference = hn::MulSub(factor, hn::LoadU(d, gradients.row(k)), mean);
    hn::StoreU(hn::Mul(weight, difference), d, gradients.row(k));
    hn::StoreU(hn::IfThenElseZero(hn::Gt(factor, hn::Zero(d)), weight), d, weights.row(k));
    positions = hn::Add(positions, one);
  }
}

HWY_INLINE void fill_column(Rows<float> column, int64_t begin, int64_t end, float value) {
  const FloatTag d;
  for (int64_t k = begin; k < end; ++k) hn::StoreU(hn::Set(d, value), d, column.row(k));
}

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
