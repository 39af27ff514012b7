#include "heed/kernels/top_k.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "heed/base/round_up.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/top_k.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

#ifndef HEED_KERNELS_TOP_K_ONCE
#define HEED_KERNELS_TOP_K_ONCE
namespace heed::kernels {
namespace {

constexpr float lowest = -std::numeric_limits<float>::infinity();

// The highest values offered so far, sorted; of equal ones, those that came first.
class Highest {
 public:
  Highest(std::span<float> values, std::span<int32_t> columns)
      : values_(values), columns_(columns) {}

  void offer(float value, int32_t column) {
    if (full() && !(value > values_.back())) return;
    size_t place = full() ? count_ - 1 : count_++;
    for (; place > 0 && values_[place - 1] < value; --place) {
      values_[place] = values_[place - 1];
      columns_[place] = columns_[place - 1];
    }
    values_[place] = value;
    columns_[place] = column;
  }

  bool full() const { return count_ == values_.size(); }
  // Lower values are rejected.
  float bar() const { return full() ? values_.back() : lowest; }

 private:
  std::span<float> values_;
  std::span<int32_t> columns_;
  size_t count_ = 0;
};

}  // namespace
}  // namespace heed::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

constexpr size_t block_size = 128;

HWY_INLINE float maximum(const float* x, size_t size) {
  const Tag d;
  const auto higher = [](Vector a, Vector b) HWY_ATTR { return hn::Max(a, b); };
  return hn::GetLane(hn::MaxOfLanes(d, fold(size, hn::Set(d, lowest), higher, higher, x)));
}

HWY_INLINE float log_sum_exp(const float* x, size_t size, float shift) {
  const Tag d;
  const Vector shifts = hn::Set(d, shift);
  const auto add_exp = [=](Vector sum, Vector score) HWY_ATTR {
    return hn::Add(sum, vector_exp_below_88(d, hn::Sub(score, shifts)));
  };
  return shift + std::log(hn::GetLane(sum_of(size, add_exp, x)));
}

// Offers the values of a block that are not below the bar.
HWY_INLINE void offer_block(const float* x, size_t begin, size_t end, float bar, Highest& highest) {
  const Tag d;
  const size_t lanes = hn::Lanes(d);
  size_t i = begin;
  const auto offer = [&](size_t until) {
    for (; i < until; ++i)
      if (x[i] >= bar) highest.offer(x[i], static_cast<int32_t>(i));
    bar = std::max(bar, highest.bar());
  };
  while (i + lanes <= end) {
    if (hn::AllFalse(d, hn::Ge(hn::LoadU(d, x + i), hn::Set(d, bar))))
      i += lanes;
    else
      offer(i + lanes);
  }
  offer(end);
}

struct RowWorkspace {
  std::vector<float> block_maxima;
  std::vector<float> highest_maxima;
  std::vector<int32_t> highest_blocks;
};

// Most of a row is read only for its maxima: the k-th highest maximum of a block bounds the k-th
// highest score from below, and few blocks reach it.
void top_k_of_row(std::span<const float> x, std::span<int32_t> best,
                  std::span<float> log_probabilities, RowWorkspace& work) {
  float shift = lowest;
  Highest maxima(work.highest_maxima, work.highest_blocks);
  for (size_t block = 0; block < work.block_maxima.size(); ++block) {
    const size_t begin = block * block_size;
    const float peak = maximum(x.data() + begin, std::min(block_size, x.size() - begin));
    work.block_maxima[block] = peak;
    maxima.offer(peak, static_cast<int32_t>(block));
    shift = std::max(shift, peak);
  }
  const float normaliser = log_sum_exp(x.data(), x.size(), shift);
  if (std::isnan(normaliser)) {
    std::iota(best.begin(), best.end(), 0);
    std::fill(log_probabilities.begin(), log_probabilities.end(), normaliser);
    return;
  }
  Highest highest(log_probabilities, best);
  for (size_t block = 0; block < work.block_maxima.size(); ++block) {
    const float bar = std::max(maxima.bar(), highest.bar());
    if (!(work.block_maxima[block] >= bar)) continue;
    offer_block(x.data(), block * block_size, std::min((block + 1) * block_size, x.size()), bar,
                highest);
  }
  for (float& value : log_probabilities) value -= normaliser;
}

void log_softmax_top_k_loop(std::span<const float> x, int64_t columns, int64_t k,
                            std::span<int32_t> best, std::span<float> log_probabilities) {
  const size_t width = static_cast<size_t>(columns), count = static_cast<size_t>(k);
  RowWorkspace work;
  work.block_maxima.resize(divide_up(width, block_size));
  work.highest_maxima.resize(count);
  work.highest_blocks.resize(count);
  for (size_t row = 0; row < x.size() / width; ++row)
    top_k_of_row(x.subspan(row * width, width), best.subspan(row * count, count),
                 log_probabilities.subspan(row * count, count), work);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(log_softmax_top_k_loop);

void log_softmax_top_k(std::span<const float> x, int64_t columns, int64_t k,
                       std::span<int32_t> best, std::span<float> log_probabilities) {
  HWY_DYNAMIC_DISPATCH(log_softmax_top_k_loop)(x, columns, k, best, log_probabilities);
}

}  // namespace heed::kernels
#endif
