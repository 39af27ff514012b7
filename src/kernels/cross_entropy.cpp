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

// x = exp(x - shift), where x - shift <= 60, and the sum of that.
HWY_INLINE float sum_of_exp(float* x, size_t size, float shift) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  const Vector shifts = hn::Set(d, shift);
  Vector sum0 = hn::Zero(d), sum1 = hn::Zero(d);
  const auto add = [&](auto at, Vector& sum) HWY_ATTR {
    const Vector e = at.only(vector_exp_below_88(d, hn::Sub(at.load(x), shifts)));
    at.store(e, x);
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

void exponential_rows(std::span<float> block, std::span<float> shifts, std::span<ScoreRow> rows) {
  const size_t width = block.size() / rows.size();
  for (size_t r = 0; r < rows.size(); ++r) {
    float* row = block.data() + r * width;
    const RowExtent extent = extent_of(row, width);
    shifts[r] = static_cast<float>(rows[r].shift_for(extent.highest));
    rows[r].add_block(shifts[r], sum_of_exp(row, width, shifts[r]), extent.sum);
  }
}

void gradient_rows(std::span<const float> block, std::span<const float> factors, float spread,
                   std::span<float> gradients) {
  const size_t width = block.size() / factors.size();
  const Vector spreads = hn::Set(Tag(), spread);
  for (size_t r = 0; r < factors.size(); ++r) {
    const Vector factor = hn::Set(Tag(), factors[r]);
    transform(
        width, gradients.data() + r * width,
        [=](Vector e) HWY_ATTR { return hn::MulSub(e, factor, spreads); },
        block.data() + r * width);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(exponential_rows);
HWY_EXPORT(gradient_rows);

void ScoreRow::add_block(double block_shift, double block_sum, double block_total) {
  if (block_shift != shift) sum *= std::exp(shift - block_shift);
  shift = block_shift;
  sum += block_sum;
  total += block_total;
}

CrossEntropySums ScoreRow::cost(double target_score, int64_t columns, double smoothing) const {
  const double likelihood = log_sum() - target_score;
  const double spread = log_sum() - total / static_cast<double>(columns);
  return {(1 - smoothing) * likelihood + smoothing * spread, likelihood};
}

void scores_to_exponentials(std::span<float> block, std::span<float> shifts,
                            std::span<ScoreRow> rows) {
  HWY_DYNAMIC_DISPATCH(exponential_rows)(block, shifts, rows);
}

void scores_to_exponentials(std::span<double> block, std::span<double> shifts,
                            std::span<ScoreRow> rows) {
  reference::scores_to_exponentials<double>(block, shifts, rows);
}

void exponentials_to_gradients(std::span<const float> block, std::span<const float> factors,
                               float spread, std::span<float> gradients) {
  HWY_DYNAMIC_DISPATCH(gradient_rows)(block, factors, spread, gradients);
}

void exponentials_to_gradients(std::span<const double> block, std::span<const double> factors,
                               double spread, std::span<double> gradients) {
  reference::exponentials_to_gradients<double>(block, factors, spread, gradients);
}

}  // namespace heed::kernels
#endif
