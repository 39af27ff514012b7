// Walks over spans in whole vectors, with the few elements at the end in a partial one. Include it, like
// Highway's own
// "-inl" headers, after foreach_target.h: it is compiled once for each instruction set.
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

// AVX2 masks the memory accesses of float lanes without faults, although Highway does not promise it for all
// lanes.
#undef HEED_MASKED_MEMORY
#if !HWY_MEM_OPS_MIGHT_FAULT || HWY_TARGET == HWY_AVX2
#define HEED_MASKED_MEMORY 1
#else
#define HEED_MASKED_MEMORY 0
#endif

// The first `count` lanes from memory, the others zero; touches nothing behind them. count < Lanes(d).
template <class D>
HWY_INLINE hn::Vec<D> load_first(D d, const float* from, size_t count) {
#if HEED_MASKED_MEMORY
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())] = {};
  std::copy_n(from, count, lanes);
  return hn::Load(d, lanes);
#endif
}

template <class D>
HWY_INLINE hn::Vec<D> load_first_or(hn::Vec<D> otherwise, D d, const float* from, size_t count) {
  return hn::IfThenElse(hn::FirstN(d, count), load_first(d, from, count), otherwise);
}

template <class D>
HWY_INLINE void store_first(hn::Vec<D> v, D d, float* to, size_t count) {
#if HEED_MASKED_MEMORY
  hn::BlendedStore(v, hn::FirstN(d, count), d, to);
#else
  HWY_ALIGN float lanes[hn::MaxLanes(D())];
  hn::Store(v, d, lanes);
  std::copy_n(lanes, count, to);
#endif
}

// y[i] = f(inputs[i]...) for i < size, a vector at a time; an input may be y itself.
template <class F, class... Inputs>
HWY_INLINE void transform(size_t size, float* y, F f, const Inputs*... inputs) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) hn::StoreU(f(hn::LoadU(d, inputs + i)...), d, y + i);
  if (i < size) store_first(f(load_first(d, inputs + i, size - i)...), d, y + i, size - i);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
