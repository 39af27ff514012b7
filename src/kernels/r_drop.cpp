#include "heed/kernels/r_drop.h"

#include "heed/kernels/reference/r_drop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/r_drop.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include <hwy/contrib/math/math-inl.h>

#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// The probabilities of one row of a block.
struct RowPair {
  const float* first;
  const float* second;
  Vector first_factor, second_factor;

  HWY_INLINE RowPair(const PredictionPair<float>& block, size_t row)
      : first(block.first.data() + row * block.columns()),
        second(block.second.data() + row * block.columns()),
        first_factor(hn::Set(Tag(), block.first_factors[row])),
        second_factor(hn::Set(Tag(), block.second_factors[row])) {}

  struct Probabilities {
    Vector p, q, log_ratio;  // log(p / q)
  };

  template <class At>
  HWY_INLINE Probabilities load(At at) const {
    const float smallest = static_cast<float>(smallest_probability);
    const Vector p = at_least(Tag(), smallest, hn::Mul(at.load(first), first_factor));
    const Vector q = at_least(Tag(), smallest, hn::Mul(at.load(second), second_factor));
    return {p, q, hn::Log(Tag(), hn::Div(p, q))};
  }
};

// Lanes beyond the end of a row have the same p and q, which diverge by nothing.
void divergences(const PredictionPair<float>& block, std::span<Divergence> rows) {
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowPair pair(block, r);
    Vector of_first = hn::Zero(Tag()), of_second = hn::Zero(Tag());
    for_each_vector(block.columns(), [&](auto at) HWY_ATTR {
      const auto [p, q, log_ratio] = pair.load(at);
      of_first = hn::MulAdd(p, log_ratio, of_first);
      of_second = hn::NegMulAdd(q, log_ratio, of_second);
    });
    rows[r].of_first += hn::GetLane(hn::SumOfLanes(Tag(), of_first));
    rows[r].of_second += hn::GetLane(hn::SumOfLanes(Tag(), of_second));
  }
}

void r_drop_gradients(const PredictionPair<float>& block, std::span<const Divergence> rows,
                      float weight, std::span<float> first_gradient,
                      std::span<float> second_gradient) {
  const Vector half = hn::Set(Tag(), weight / 2);
  for (size_t r = 0; r < rows.size(); ++r) {
    const RowPair pair(block, r);
    const Vector of_first = hn::Set(Tag(), static_cast<float>(rows[r].of_first));
    const Vector of_second = hn::Set(Tag(), static_cast<float>(rows[r].of_second));
    float* first = first_gradient.data() + r * block.columns();
    float* second = second_gradient.data() + r * block.columns();
    for_each_vector(block.columns(), [&](auto at) HWY_ATTR {
      const auto [p, q, log_ratio] = pair.load(at);
      const Vector difference = hn::Sub(p, q);
      const Vector by_first = hn::MulAdd(p, hn::Sub(log_ratio, of_first), difference);
      const Vector by_second = hn::NegMulSub(q, hn::Add(log_ratio, of_second), difference);
      at.store(hn::MulAdd(half, by_first, at.load(first)), first);
      at.store(hn::MulAdd(half, by_second, at.load(second)), second);
    });
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(divergences);
HWY_EXPORT(r_drop_gradients);

void add_divergences(const PredictionPair<float>& block, std::span<Divergence> rows) {
  HWY_DYNAMIC_DISPATCH(divergences)(block, rows);
}

void add_divergences(const PredictionPair<double>& block, std::span<Divergence> rows) {
  reference::add_divergences<double>(block, rows);
}

void add_r_drop_gradients(const PredictionPair<float>& block, std::span<const Divergence> rows,
                          float weight, std::span<float> first_gradient,
                          std::span<float> second_gradient) {
  HWY_DYNAMIC_DISPATCH(r_drop_gradients)
  (block, rows, weight, first_gradient, second_gradient);
}

void add_r_drop_gradients(const PredictionPair<double>& block, std::span<const Divergence> rows,
                          double weight, std::span<double> first_gradient,
                          std::span<double> second_gradient) {
  reference::add_r_drop_gradients<double>(block, rows, weight, first_gradient, second_gradient);
}

}  // namespace heed::kernels
#endif
