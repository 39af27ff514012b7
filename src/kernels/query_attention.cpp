#include "heed/kernels/query_attention.h"

#include "heed/kernels/arithmetic.h"
#include "heed/kernels/reference/query_attention.h"
#include "heed/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/query_attention.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

HWY_INLINE float dot_product(const float* a, const float* b, size_t size) {
  const auto add_product = [](Vector sum, Vector va, Vector vb)
                               HWY_ATTR { return hn::MulAdd(va, vb, sum); };
  return hn::GetLane(sum_of(size, add_product, a, b));
}

HWY_INLINE void add_scaled_row(float factor, const float* x, float* y, size_t size) {
  const Vector factors = hn::Set(Tag(), factor);
  transform(
      size, y, [=](Vector vx, Vector vy) HWY_ATTR { return hn::MulAdd(factors, vx, vy); }, x, y);
}

void query_scores(const QueryAttention<float>& attention, std::span<float> scores) {
  const size_t width = attention.query.size();
  const float *query = attention.query.data(), *vector = attention.vector.data();
  const auto add_term = [](Vector sum, Vector q, Vector k, Vector v) HWY_ATTR {
    return hn::MulAdd(v, vector_tanh(Tag(), hn::Add(q, k)), sum);
  };
  for (size_t j = 0; j < scores.size(); ++j) {
    const float* key = attention.keys.row(static_cast<int64_t>(j));
    scores[j] = attention.vector.empty() ? attention.scale * dot_product(query, key, width)
                                         : hn::GetLane(sum_of(width, add_term, query, key, vector));
  }
}

// Four values at a time, because loading and storing the output costs more than the products.
// row(j) points to the j-th value.
template <class Row>
HWY_INLINE void weigh(std::span<const float> weights, Row row, std::span<float> output) {
  const size_t width = output.size();
  transform(width, output.data(), []() HWY_ATTR { return hn::Zero(Tag()); });
  size_t j = 0;
  for (; j + 4 <= weights.size(); j += 4) {
    const Vector w0 = hn::Set(Tag(), weights[j]), w1 = hn::Set(Tag(), weights[j + 1]);
    const Vector w2 = hn::Set(Tag(), weights[j + 2]), w3 = hn::Set(Tag(), weights[j + 3]);
    transform(
        width, output.data(),
        [=](Vector sum, Vector a, Vector b, Vector c, Vector e) HWY_ATTR {
          return hn::MulAdd(w0, a, hn::MulAdd(w1, b, hn::MulAdd(w2, c, hn::MulAdd(w3, e, sum))));
        },
        output.data(), row(j), row(j + 1), row(j + 2), row(j + 3));
  }
  for (; j < weights.size(); ++j) add_scaled_row(weights[j], row(j), output.data(), width);
}

void weigh_values(std::span<const float> weights, MatrixView<const float> values,
                  std::span<float> output) {
  weigh(
      weights, [&](size_t j) { return values.row(static_cast<int64_t>(j)); }, output);
}

// The sums of four vectors' lanes, found together. There is room for a whole vector of them.
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
HWY_INLINE void store_sums(Vector a, Vector b, Vector c, Vector d, float* sums) {
  sums[0] = hn::GetLane(hn::SumOfLanes(Tag(), a));
  sums[1] = hn::GetLane(hn::SumOfLanes(Tag(), b));
  sums[2] = hn::GetLane(hn::SumOfLanes(Tag(), c));
  sums[3] = hn::GetLane(hn::SumOfLanes(Tag(), d));
}
#else
HWY_INLINE void store_sums(Vector a, Vector b, Vector c, Vector d, float* sums) {
  const Tag tag;
  const hn::RepartitionToWide<Tag> pairs;
  const Vector ab = hn::Add(hn::InterleaveLower(tag, a, b), hn::InterleaveUpper(tag, a, b));
  const Vector cd = hn::Add(hn::InterleaveLower(tag, c, d), hn::InterleaveUpper(tag, c, d));
  const auto ab_pairs = hn::BitCast(pairs, ab), cd_pairs = hn::BitCast(pairs, cd);
  Vector sum = hn::Add(hn::BitCast(tag, hn::InterleaveLower(pairs, ab_pairs, cd_pairs)),
                       hn::BitCast(tag, hn::InterleaveUpper(pairs, ab_pairs, cd_pairs)));
  // Each block of four lanes has its part of the four sums.
  if constexpr (hn::MaxLanes(Tag()) >= 8) sum = hn::Add(sum, hn::ReverseBlocks(tag, sum));
  if constexpr (hn::MaxLanes(Tag()) >= 16) sum = hn::Add(sum, hn::SwapAdjacentBlocks(sum));
  hn::Store(sum, tag, sums);
}
#endif

// Four keys at a time; where fewer are left, the last one again.
void row_scores(const RowAttention& attention, std::span<float> scores) {
  const size_t width = attention.width(), tokens = attention.keys.size();
  for (size_t head = 0; head < static_cast<size_t>(attention.heads); ++head) {
    const float* query = attention.query.data() + head * width;
    const size_t offset = attention.offset(head);
    for (size_t j = 0; j < tokens; j += 4) {
      const auto key = [&](size_t i) {
        return attention.keys[std::min(j + i, tokens - 1)] + offset;
      };
      const float *k0 = key(0), *k1 = key(1), *k2 = key(2), *k3 = key(3);
      Vector s0 = hn::Zero(Tag()), s1 = s0, s2 = s0, s3 = s0;
      for_each_vector(width, [&](auto at) HWY_ATTR {
        const Vector q = at.load(query);
        s0 = hn::MulAdd(q, at.load(k0), s0);
        s1 = hn::MulAdd(q, at.load(k1), s1);
        s2 = hn::MulAdd(q, at.load(k2), s2);
        s3 = hn::MulAdd(q, at.load(k3), s3);
      });
      HWY_ALIGN float sums[std::max<size_t>(4, hn::MaxLanes(Tag()))];
      store_sums(s0, s1, s2, s3, sums);
      for (size_t i = 0; i < 4 && j + i < tokens; ++i)
        scores[head * tokens + j + i] = attention.scale * sums[i];
    }
  }
}

void weigh_rows(const RowAttention& attention, std::span<const float> weights,
                std::span<float> output) {
  const size_t width = attention.width(), tokens = attention.keys.size();
  for (size_t head = 0; head < static_cast<size_t>(attention.heads); ++head)
    weigh(
        weights.subspan(head * tokens, tokens),
        [&](size_t j) { return attention.values[j] + attention.offset(head); },
        output.subspan(head * width, width));
}

// The gradients of one score for the query, its key and the vector.
HWY_INLINE void additive_backward(const QueryAttention<float>& attention, int64_t key,
                                  float d_score, const QueryAttentionGradients<float>& gradients) {
  const Vector d_scores = hn::Set(Tag(), d_score), one = hn::Set(Tag(), 1.0f);
  const float *q = attention.query.data(), *k = attention.keys.row(key),
              *v = attention.vector.data();
  float *dq = gradients.query.data(), *dk = gradients.keys.row(key), *dv = gradients.vector.data();
  for_each_vector(attention.query.size(), [=](auto at) HWY_ATTR {
    const Vector t = vector_tanh(Tag(), hn::Add(at.load(q), at.load(k)));
    const Vector slope = hn::NegMulAdd(t, t, one), factor = hn::Mul(d_scores, at.load(v));
    at.store(hn::MulAdd(factor, slope, at.load(dq)), dq);
    at.store(hn::MulAdd(factor, slope, at.load(dk)), dk);
    at.store(hn::MulAdd(d_scores, t, at.load(dv)), dv);
  });
}

void query_backward(const QueryAttention<float>& attention, std::span<const float> weights,
                    std::span<const float> output, std::span<const float> output_gradient,
                    const QueryAttentionGradients<float>& gradients) {
  const size_t width = attention.query.size(), value_width = output.size();
  // Softmax subtracts the mean of the weights' gradients, which is the same for every key.
  const float mean = dot_product(output_gradient.data(), output.data(), value_width);
  for (int64_t j = 0; j < attention.keys.rows; ++j) {
    const float weight = weights[j];
    const float d_weight =
        dot_product(output_gradient.data(), attention.values.row(j), value_width);
    const float d_score = weight * (d_weight - mean);
    add_scaled_row(weight, output_gradient.data(), gradients.values.row(j), value_width);
    if (!attention.vector.empty()) {
      additive_backward(attention, j, d_score, gradients);
    } else {
      const float factor = d_score * attention.scale;
      add_scaled_row(factor, attention.keys.row(j), gradients.query.data(), width);
      add_scaled_row(factor, attention.query.data(), gradients.keys.row(j), width);
    }
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(query_scores);
HWY_EXPORT(weigh_values);
HWY_EXPORT(query_backward);
HWY_EXPORT(row_scores);
HWY_EXPORT(weigh_rows);

void attend_query(const QueryAttention<float>& attention, std::span<float> weights,
                  std::span<float> output) {
  HWY_DYNAMIC_DISPATCH(query_scores)(attention, weights);
  softmax(weights, weights, attention.keys.rows);
  HWY_DYNAMIC_DISPATCH(weigh_values)(weights, attention.values, output);
}

void attend_query(const QueryAttention<double>& attention, std::span<double> weights,
                  std::span<double> output) {
  reference::attend_query(attention, weights, output);
}

void attend_rows(const RowAttention& attention, std::span<float> weights, std::span<float> output) {
  HWY_DYNAMIC_DISPATCH(row_scores)(attention, weights);
  if (!attention.bias.empty()) add(weights, attention.bias, weights);
  softmax(weights, weights, static_cast<int64_t>(attention.keys.size()));
  HWY_DYNAMIC_DISPATCH(weigh_rows)(attention, weights, output);
}

void attend_query_backward(const QueryAttention<float>& attention, std::span<const float> weights,
                           std::span<const float> output, std::span<const float> output_gradient,
                           const QueryAttentionGradients<float>& gradients) {
  HWY_DYNAMIC_DISPATCH(query_backward)(attention, weights, output, output_gradient, gradients);
}

void attend_query_backward(const QueryAttention<double>& attention, std::span<const double> weights,
                           std::span<const double> output, std::span<const double> output_gradient,
                           const QueryAttentionGradients<double>& gradients) {
  reference::attend_query_backward(attention, weights, output, output_gradient, gradients);
}

}  // namespace heed::kernels
#endif
