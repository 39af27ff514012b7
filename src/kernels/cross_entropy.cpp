#include "heed/kernels/cross_entropy.h"

#include <cmath>
#include <limits>

#include "heed/kernels/reference/cross_entropy.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/cross_entropy.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

struct RowExtent {
  float highest;
  float sum;
};

// Four running maxima and sums, because one would wait for itself at every step.
HWY_INLINE RowExtent extent_of(const float* x, size_t size) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  Vector highest[4], sum[4];
  for (int k = 0; k < 4; ++k) {
    highest[k] = hn::Set(d, -std::numeric_limits<float>::infinity());
    sum[k] = hn::Zero(d);
  }
  size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    HWY_UNROLL(4)
    for (size_t k = 0; k < 4; ++k) {
      const Vector value = hn::LoadU(d, x + i + k * lanes);
      highest[k] = hn::Max(highest[k], value);
      sum[k] = hn::Add(sum[k], value);
    }
  }
  float last_highest = -std::numeric_limits<float>::infinity(), last_sum = 0;
  for (; i < size; ++i) {
    last_highest = std::max(last_highest, x[i]);
    last_sum += x[i];
  }
  const Vector all = hn::Max(hn::Max(highest[0], highest[1]), hn::Max(highest[2], highest[3]));
  const Vector total = hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]));
  return {std::max(last_highest, hn::GetLane(hn::MaxOfLanes(d, all))),
          last_sum + hn::GetLane(hn::SumOfLanes(d, total))};
}

// Σ exp(x - shift), where x - shift <= 0; the terms go to `terms` unless it is null.
template <bool kKeep>
HWY_INLINE float sum_of_exp(const float* x, size_t size, float shift, float* terms) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const Vector shifts = hn::Set(d, shift);
  Vector sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  const auto add = [&](auto at, Vector& sum) HWY_ATTR {
    const Vector e = at.only(vector_exp_below_88(d, hn::Sub(at.load(x), shifts)));
    if constexpr (kKeep) at.store(e, terms);
    sum = hn::Add(sum, e);
  };
  size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    add(WholeVector{i}, sum0);
    add(WholeVector{i + lanes}, sum1);
  }
  for (; i + lanes <= size; i += lanes) add(WholeVector{i}, sum0);
  if (i < size) add(PartialVector{i, size - i}, sum1);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
}

HWY_INLINE void add_row(CrossEntropySums& sums, const RowExtent& extent, double log_sum, float target_score,
                        size_t columns, double smoothing) {
  const double likelihood = log_sum - target_score;
  sums.negative_likelihood += likelihood;
  sums.loss += (1 - smoothing) * likelihood +
               smoothing * (log_sum - static_cast<double>(extent.sum) / static_cast<double>(columns));
}

CrossEntropySums gradient_rows(std::span<float> scores, std::span<const int32_t> targets, int64_t columns,
                               double smoothing) {
  const size_t width = static_cast<size_t>(columns);
  const Vector spread = hn::Set(Tag(), static_cast<float>(smoothing / static_cast<double>(columns)));
  CrossEntropySums sums;
  for (size_t r = 0; r < targets.size(); ++r) {
    float* row = scores.data() + r * width;
    const size_t target = static_cast<size_t>(targets[r]);
    const float target_score = row[target];
    const RowExtent extent = extent_of(row, width);
    const float sum = sum_of_exp<true>(row, width, extent.highest, row);
    add_row(sums, extent, extent.highest + std::log(static_cast<double>(sum)), target_score, width,
            smoothing);
    const Vector inverse = hn::Set(Tag(), 1.0f / sum);
    transform(
        width, row, [=](Vector e) HWY_ATTR { return hn::MulSub(e, inverse, spread); }, row);
    row[target] -= static_cast<float>(1 - smoothing);
  }
  return sums;
}

CrossEntropySums value_rows(std::span<const float> scores, std::span<const int32_t> targets, int64_t columns,
                            double smoothing) {
  const size_t width = static_cast<size_t>(columns);
  CrossEntropySums sums;
  for (size_t r = 0; r < targets.size(); ++r) {
    const float* row = scores.data() + r * width;
    const RowExtent extent = extent_of(row, width);
    const float sum = sum_of_exp<false>(row, width, extent.highest, nullptr);
    add_row(sums, extent, extent.highest + std::log(static_cast<double>(sum)),
            row[static_cast<size_t>(targets[r])], width, smoothing);
  }
  return sums;
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(gradient_rows);
HWY_EXPORT(value_rows);

CrossEntropySums cross_entropy_with_gradient(std::span<float> scores, std::span<const int32_t> targets,
                                             int64_t columns, double smoothing) {
  return HWY_DYNAMIC_DISPATCH(gradient_rows)(scores, targets, columns, smoothing);
}

CrossEntropySums cross_entropy_with_gradient(std::span<double> scores, std::span<const int32_t> targets,
                                             int64_t columns, double smoothing) {
  return reference::cross_entropy_with_gradient<double>(scores, targets, columns, smoothing);
}

CrossEntropySums cross_entropy(std::span<const float> scores, std::span<const int32_t> targets,
                               int64_t columns, double smoothing) {
  return HWY_DYNAMIC_DISPATCH(value_rows)(scores, targets, columns, smoothing);
}

CrossEntropySums cross_entropy(std::span<const double> scores, std::span<const int32_t> targets,
                               int64_t columns, double smoothing) {
  return reference::cross_entropy<double>(scores, targets, columns, smoothing);
}

}  // namespace heed::kernels
#endif
