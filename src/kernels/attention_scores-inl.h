// The forms of a score, each with its gradients: the only place where they differ. A score is a sum
// over the width, and so is a tile whose operation is the form's; the gradients of queries, keys
// and parameters are tiles as well.
#include <cstdint>

#if defined(HEED_KERNELS_ATTENTION_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_ATTENTION_SCORES_INL_H_
#undef HEED_KERNELS_ATTENTION_SCORES_INL_H_
#else
#define HEED_KERNELS_ATTENTION_SCORES_INL_H_
#endif

#include "heed/kernels/attention.h"
#include "heed/kernels/attention_tile-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::streamed::HWY_NAMESPACE {

using kernels::HWY_NAMESPACE::vector_tanh;

constexpr float kLog2E = 1.4426950408889634f;

// An operation that is not a plain product. Such tiles are smaller, since they compute more per
// element.
struct PairOperation {
  static constexpr int kVectors = 2;
  static constexpr int rows(int /*vectors*/) { return 4; }
};

// The operation of a score: a(r, k) is a key's number and b(k, :) the same number of many queries.
struct ScoreOperation : PairOperation {};

// The operation of a gradient: a(r, k) is the gradient of the score of a pair, b(k, :) the row of
// the pair's other side, and `own` the row r of the side that the gradient is for.
template <class Operation>
struct GradientOperation : PairOperation {
  explicit GradientOperation(Rows<const float> rows) : own(rows) {}

  Operation at(int64_t row, int64_t column) const {
    Operation moved = static_cast<const Operation&>(*this);
    moved.own.data += row * own.stride + column;
    return moved;
  }
  HWY_INLINE Vector mine(int r, int v) const {
    return hn::LoadU(FloatTag(), own.row(r) + v * kLanes);
  }

  Rows<const float> own;
};

// Each form gives
//   query_factor     what the queries are multiplied with when they are transposed,
//   score, finish    operation and end of a tile of scores, in units of log 2,
//   side             operation of the gradients of queries and keys,
//   side_factor      what its sums are multiplied with,
//   parameter        operation of the gradient of the form's own parameter, by width.
template <ScoreForm kForm>
struct Form;

// score = scale q·k
template <>
struct Form<ScoreForm::dot> {
  Form(const AttentionHead<float>& head, const float* /*vector*/) : scale(head.scale) {}

  struct Parameter : GradientOperation<Parameter> {
    using GradientOperation::GradientOperation;
    HWY_INLINE Vector step(int64_t /*k*/, int r, int v, Vector x, Vector y, Vector sum) const {
      return hn::MulAdd(x, hn::Mul(y, mine(r, v)), sum);
    }
  };

  float query_factor() const { return scale * kLog2E; }
  Multiply score() const { return {}; }
  Store finish(Rows<float> tile) const { return {tile}; }
  Multiply side(Rows<const float> /*own*/) const { return {}; }
  float side_factor() const { return scale; }
  Parameter parameter(Rows<const float> own) const { return Parameter(own); }

  float scale;
};

// score = -scale Σ_h (q[h] - k[h])². The differences are squared as they are: q² + k² - 2 q k
// cancels for near points.
template <>
struct Form<ScoreForm::gaussian> {
  Form(const AttentionHead<float>& head, const float* /*vector*/) : scale(head.scale) {}

  struct Score : ScoreOperation {
    Score at(int64_t /*row*/, int64_t /*column*/) const { return *this; }
    HWY_INLINE Vector step(int64_t /*k*/, int /*r*/, int /*v*/, Vector x, Vector y,
                           Vector sum) const {
      const Vector difference = hn::Sub(y, x);
      return hn::MulAdd(difference, difference, sum);
    }
  };
  struct Side : GradientOperation<Side> {
    using GradientOperation::GradientOperation;
    HWY_INLINE Vector step(int64_t /*k*/, int r, int v, Vector x, Vector y, Vector sum) const {
      return hn::MulAdd(x, hn::Sub(y, mine(r, v)), sum);
    }
  };
  struct Parameter : GradientOperation<Parameter> {
    using GradientOperation::GradientOperation;
    HWY_INLINE Vector step(int64_t /*k*/, int r, int v, Vector x, Vector y, Vector sum) const {
      const Vector difference = hn::Sub(y, mine(r, v));
      return hn::NegMulAdd(x, hn::Mul(difference, difference), sum);
    }
  };

  float query_factor() const { return 1.0f; }
  Score score() const { return {}; }
  StoreScaled finish(Rows<float> tile) const { return {tile, -scale * kLog2E}; }
  Side side(Rows<const float> own) const { return Side(own); }
  float side_factor() const { return 2.0f * scale; }
  Parameter parameter(Rows<const float> own) const { return Parameter(own); }

  float scale;
};

// score = Σ_h vector[h] tanh(q[h] + k[h])
template <>
struct Form<ScoreForm::additive> {
  Form(const AttentionHead<float>& /*head*/, const float* padded_vector) : vector(padded_vector) {}

  struct Score : ScoreOperation {
    const float* vector;

    Score at(int64_t /*row*/, int64_t /*column*/) const { return *this; }
    HWY_INLINE Vector step(int64_t k, int /*r*/, int /*v*/, Vector x, Vector y, Vector sum) const {
      const FloatTag d;
      return hn::MulAdd(hn::Set(d, vector[k]), vector_tanh(d, hn::Add(x, y)), sum);
    }
  };
  struct Side : GradientOperation<Side> {
    Side(Rows<const float> rows, const float* v) : GradientOperation(rows), vector(v) {}

    Side at(int64_t row, int64_t column) const {
      Side moved = GradientOperation::at(row, column);
      moved.vector += column;
      return moved;
    }
    HWY_INLINE Vector step(int64_t /*k*/, int r, int v, Vector x, Vector y, Vector sum) const {
      const FloatTag d;
      const Vector t = vector_tanh(d, hn::Add(y, mine(r, v)));
      const Vector slope = hn::NegMulAdd(t, t, hn::Set(d, 1.0f));
      return hn::MulAdd(x, hn::Mul(slope, hn::LoadU(d, vector + v * kLanes)), sum);
    }

    const float* vector;
  };
  struct Parameter : GradientOperation<Parameter> {
    using GradientOperation::GradientOperation;
    HWY_INLINE Vector step(int64_t /*k*/, int r, int v, Vector x, Vector y, Vector sum) const {
      return hn::MulAdd(x, vector_tanh(FloatTag(), hn::Add(y, mine(r, v))), sum);
    }
  };

  float query_factor() const { return 1.0f; }
  Score score() const { return {{}, vector}; }
  StoreScaled finish(Rows<float> tile) const { return {tile, kLog2E}; }
  Side side(Rows<const float> own) const { return {own, vector}; }
  float side_factor() const { return 1.0f; }
  Parameter parameter(Rows<const float> own) const { return Parameter(own); }

  const float* vector;
};

}  // namespace heed::kernels::streamed::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
