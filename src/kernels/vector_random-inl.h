// The random words of heed/base/random.h in the lanes of a vector, equal to the scalar ones bit for
// bit. To be included after foreach_target.h, like Highway's own "-inl" headers: it is compiled
// once for each instruction set.
#include "heed/kernels/dropout.h"

#if defined(HEED_KERNELS_VECTOR_RANDOM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_VECTOR_RANDOM_INL_H
#undef HEED_KERNELS_VECTOR_RANDOM_INL_H
#else
#define HEED_KERNELS_VECTOR_RANDOM_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// As `mix_bits`, for a tag of uint32_t lanes.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_mix_bits(D d, V word) {
  word = hn::Xor(word, hn::ShiftRight<16>(word));
  word = hn::Mul(word, hn::Set(d, 0x85ebca6bu));
  word = hn::Xor(word, hn::ShiftRight<13>(word));
  word = hn::Mul(word, hn::Set(d, 0xc2b2ae35u));
  return hn::Xor(word, hn::ShiftRight<16>(word));
}

// As `random_word`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_random_word(D d, RandomKey key, V positions) {
  const V mixed = vector_mix_bits(d, hn::Xor(positions, hn::Set(d, key.low)));
  return vector_mix_bits(d, hn::Add(mixed, hn::Set(d, key.high)));
}

// The values whose positions `dropout_keeps`, and 0 for the others; `d` is a tag of float lanes.
template <class D, class V = hn::Vec<D>, class Words = hn::RebindToUnsigned<D>>
HWY_INLINE V vector_keep(D d, RandomKey key, hn::Vec<Words> positions, uint32_t threshold,
                         V values) {
  const Words words;
  const auto dropped = hn::Lt(vector_random_word(words, key, positions), hn::Set(words, threshold));
  return hn::IfThenZeroElse(hn::RebindMask(d, dropped), values);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
