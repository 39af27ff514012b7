// Loops over spans in whole vectors, with a partial one for the few elements at the end. To be
// included after foreach_target.h, like Highway's own "-inl" headers: it is compiled once for each
// instruction set.
#include <algorithm>
#include <cstddef>

#if defined(HEED_KERNELS_VECTOR_LOOP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_VECTOR_LOOP_INL_H
#undef HEED_KERNELS_VECTOR_LOOP_INL_H
#else
#define HEED_KERNELS_VECTOR_LOOP_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// AVX2 masks the memory accesses of float lanes without faults; Highway promises it only for all
// kinds of lanes.
#undef HEED_MASKED_MEMORY
#if !HWY_MEM_OPS_MIGHT_FAULT || HWY_TARGET == HWY_AVX2
#define HEED_MASKED_MEMORY 1
#else
#define HEED_MASKED_MEMORY 0
#endif

// A vector's worth of elements from the i-th on. `load` and `store` take the array.
struct WholeVector {
  size_t i;

  HWY_INLINE Vector load(const float* from) const { return hn::LoadU(Tag(), from + i); }
  HWY_INLINE void store(Vector v, float* to) const { hn::StoreU(v, Tag(), to + i); }
  HWY_INLINE Vector only(Vector v) const { return v; }
};

// The last `count` elements, fewer than a vector has, from the i-th on. Nothing after them is
// touched.
struct PartialVector {
  size_t i;
  size_t count;

  // The other lanes are zero.
  HWY_INLINE Vector load(const float* from) const {
#if HEED_MASKED_MEMORY
    return hn::MaskedLoad(mask(), Tag(), from + i);
#else
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())] = {};
    std::copy_n(from + i, count, lanes);
    return hn::Load(Tag(), lanes);
#endif
  }

  HWY_INLINE void store(Vector v, float* to) const {
#if HEED_MASKED_MEMORY
    hn::BlendedStore(v, mask(), Tag(), to + i);
#else
    HWY_ALIGN float lanes[hn::MaxLanes(Tag())];
    hn::Store(v, Tag(), lanes);
    std::copy_n(lanes, count, to + i);
#endif
  }

  // v, with zeros in the other lanes.
  HWY_INLINE Vector only(Vector v) const { return hn::IfThenElseZero(mask(), v); }

  HWY_INLINE hn::Mask<Tag> mask() const { return hn::FirstN(Tag(), count); }
};

// Calls f with the whole vectors of `size` elements and then, if some are left, with the partial
// one.
template <class F>
HWY_INLINE void for_each_vector(size_t size, F f) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) f(WholeVector{i});
  if (i < size) f(PartialVector{i, size - i});
}

// y[i] = f(inputs[i]...); an input may be y itself.
template <class F, class... Inputs>
HWY_INLINE void transform(size_t size, float* y, F f, const Inputs*... inputs) {
  for_each_vector(size, [&](auto at) HWY_ATTR { at.store(f(at.load(inputs)...), y); });
}

// sum = f(sum, inputs[i]...) for every i, as a vector of partial sums that `combine` joins. Four of
// them run in parallel to hide the latency. `start` must be neutral.
template <class F, class Combine, class... Inputs>
HWY_INLINE Vector fold(size_t size, Vector start, F f, Combine combine, const Inputs*... inputs) {
  const size_t lanes = hn::Lanes(Tag());
  Vector sum0 = start, sum1 = start, sum2 = start, sum3 = start;
  const auto add = [&](Vector& sum, WholeVector at) HWY_ATTR { sum = f(sum, at.load(inputs)...); };
  size_t i = 0;
  for (; i + 4 * lanes <= size; i += 4 * lanes) {
    add(sum0, WholeVector{i});
    add(sum1, WholeVector{i + lanes});
    add(sum2, WholeVector{i + 2 * lanes});
    add(sum3, WholeVector{i + 3 * lanes});
  }
  for (; i + lanes <= size; i += lanes) add(sum0, WholeVector{i});
  if (i < size) {
    const PartialVector at{i, size - i};
    sum1 = hn::IfThenElse(at.mask(), f(sum1, at.load(inputs)...), sum1);
  }
  return combine(combine(sum0, sum1), combine(sum2, sum3));
}

// The sum over all elements, in every lane; f(sum, inputs[i]...) adds one element to it.
template <class F, class... Inputs>
HWY_INLINE Vector sum_of(size_t size, F f, const Inputs*... inputs) {
  const auto plus = [](Vector a, Vector b) HWY_ATTR { return hn::Add(a, b); };
  return hn::SumOfLanes(Tag(), fold(size, hn::Zero(Tag()), f, plus, inputs...));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
