// exp, tanh, sigmoid, gelu and swish of the lanes of a vector, to about float's own precision, with
// their slopes. To be included after foreach_target.h, like Highway's own "-inl" headers: it is
// compiled once for each instruction set.
#include "heed/kernels/activation.h"

#if defined(HEED_KERNELS_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_VECTOR_MATH_INL_H
#undef HEED_KERNELS_VECTOR_MATH_INL_H
#else
#define HEED_KERNELS_VECTOR_MATH_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// x86 returns the second operand of Min and Max if either is NaN, NEON the NaN; Highway leaves it
// open elsewhere.
#undef HEED_SECOND_OPERAND_KEEPS_NAN
#if (HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128) || HWY_TARGET == HWY_NEON
#define HEED_SECOND_OPERAND_KEEPS_NAN 1
#else
#define HEED_SECOND_OPERAND_KEEPS_NAN 0
#endif

// min(limit, x) and max(limit, x) that let a NaN of x through.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, float limit, V x) {
  const V bound = hn::Set(d, limit);
#if HEED_SECOND_OPERAND_KEEPS_NAN
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, float limit, V x) {
  const V bound = hn::Set(d, limit);
#if HEED_SECOND_OPERAND_KEEPS_NAN
  return hn::Max(bound, x);
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}

// c0 + c1 x + c2 x² + ..., by Horner's rule.
template <class D, class V>
HWY_INLINE V polynomial(D d, V, float last) {
  return hn::Set(d, last);
}

template <class D, class V, class... More>
HWY_INLINE V polynomial(D d, V x, float first, More... more) {
  return hn::MulAdd(polynomial(d, x, more...), x, hn::Set(d, first));
}

// x = n ln 2 + remainder and scale = 2^n, thus exp(x) = scale exp(remainder).
template <class V>
struct PowerOfTwo {
  V scale;
  V remainder;
};

// n is the floor of bounded / ln 2, for -88 <= bounded <= 88.5, and 2^n is 0 below the normal
// floats. With the floor, n needs just the exponents that a float has; with the nearest integer it
// would need one more, 2^128.
template <class D, class V = hn::Vec<D>>
HWY_INLINE PowerOfTwo<V> split_power_of_two(D d, V x, V bounded) {
  const hn::RebindToSigned<D> di;
  // The floor is the nearest integer to half less, or to a little more than that, so that n is 0
  // for x = 0.
  const V quotient = hn::MulAdd(bounded, hn::Set(d, 1.44269504f), hn::Set(d, -0.49975586f));
  // Floats of this size have no fraction: adding it rounds, and leaves n + 127, the exponent field
  // of 2^n, in the low bits.
  const V shift = hn::Set(d, 12582912.0f + 127.0f);
  const V shifted = hn::Add(quotient, shift);
  const V n = hn::Sub(shifted, shift);
#if HWY_NATIVE_FMA
  // A fused product is exact, so that only the 2e-9 remain by which the float is not ln 2.
  const V remainder = hn::NegMulAdd(n, hn::Set(d, 0.6931471805599453f), x);
#else
  // ln 2 in two parts, the first short enough for n times it to be exact.
  const V remainder =
      hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x));
#endif
  return {hn::BitCast(d, hn::ShiftLeft<23>(hn::BitCast(di, shifted))), remainder};
}

// exp over the remainders. Minimax, relative, with the first two terms of the series: error 1.3e-7.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp_of_remainder(D d, V x) {
  return polynomial(d, x, 1.0f, 1.0f, 0.499946177f, 0.16724588f, 0.0395728201f, 0.0113755716f);
}

// Relative error below 5e-7, and 2.5e-7 near 0; 0 below the normal floats; exact at 0 and
// infinities; NaN stays NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_exp(D d, V x) {
  x = at_least(d, -88.0f, x);
  // Above the range the scale stays at 2^127 and the remainder takes the rest: their product
  // overflows by itself.
  const auto [scale, remainder] = split_power_of_two(d, x, hn::Min(x, hn::Set(d, 88.5f)));
  return hn::Mul(scale, exp_of_remainder(d, remainder));
}

// The same for x <= 88, an instruction shorter: for softmax, whose largest x is 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_exp_below_88(D d, V x) {
  x = at_least(d, -88.0f, x);
  const auto [scale, remainder] = split_power_of_two(d, x, x);
  return hn::Mul(scale, exp_of_remainder(d, remainder));
}

// exp(x) - 1 for 0 <= x <= 88, with a small relative error also near 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_expm1_of_positive(D d, V x) {
  const auto [scale, remainder] = split_power_of_two(d, x, x);
  // Minimax for (exp(r) - 1) / r, relative: error 1.4e-8.
  const V small = hn::Mul(remainder, polynomial(d, remainder, 1.0f, 0.500000894f, 0.166647688f,
                                                0.0417948589f, 0.00796255469f, 0.00186042173f));
  return hn::MulAdd(scale, small, hn::Sub(scale, hn::Set(d, 1.0f)));
}

// tanh |x| = (exp(2|x|) - 1) / (exp(2|x|) + 1), which is 1 in float from 9.02 on.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_tanh(D d, V x) {
  const V size = at_most(d, 10.0f, hn::Abs(x));
  const V e = vector_expm1_of_positive(d, hn::Add(size, size));
  return hn::CopySignToAbs(hn::Div(e, hn::Add(e, hn::Set(d, 2.0f))), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  return hn::Div(one, hn::Add(one, vector_exp(d, hn::Neg(x))));
}

// exp(-x² / 2) and Φ(-|x|), the probability that a normal variable exceeds |x|.
template <class V>
struct NormalTail {
  V bell;
  V probability;
};

// For |x| <= 15; both are 0 in float from 14.5 on.
template <class D, class V = hn::Vec<D>>
HWY_INLINE NormalTail<V> normal_tail(D d, V x) {
  const V half = hn::Mul(x, hn::Set(d, -0.5f));
  const V square = hn::Mul(half, x);
  V bell = vector_exp_below_88(d, square);
  // The rounding error of the square, up to 4e-6, would be a relative error of the result.
  bell = hn::MulAdd(bell, hn::MulSub(half, x, square), bell);
  // Φ(-|x|) = bell P(t), t = 1 / (1 + 0.304 |x|). Minimax of P relative: error 9e-8.
  const V one = hn::Set(d, 1.0f);
  const V t = hn::Div(one, hn::MulAdd(hn::Set(d, 0.304f), hn::Abs(x), one));
  return {bell, hn::Mul(hn::Mul(bell, t),
                        polynomial(d, t, 0.121234626f, 0.122171514f, 0.102417767f, 0.12356928f,
                                   -0.0431598127f, 0.192221731f, -0.155318305f, 0.0368632413f))};
}

// x Φ(x) = max(x, 0) - |x| Φ(-|x|), without cancellation on either side.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_gelu(D d, V x) {
  const V size = hn::Min(hn::Abs(x), hn::Set(d, 15.0f));
  return hn::NegMulAdd(size, normal_tail(d, size).probability, at_least(d, 0.0f, x));
}

// Φ(x) + x φ(x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_gelu_slope(D d, V x) {
  const V bounded = at_least(d, -15.0f, at_most(d, 15.0f, x));
  const auto [bell, probability] = normal_tail(d, bounded);
  const V one = hn::Set(d, 1.0f);
  const V distribution =
      hn::IfThenElse(hn::Lt(x, hn::Zero(d)), probability, hn::Sub(one, probability));
  return hn::MulAdd(hn::Mul(bounded, hn::Set(d, 0.398942280f)), bell, distribution);
}

// At -infinity the bound keeps x out of infinity / infinity; the result is 0 well before it.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_swish(D d, V x) {
  const V bounded = at_least(d, -1e4f, x);
  return hn::Div(bounded, hn::Add(hn::Set(d, 1.0f), vector_exp(d, hn::Neg(bounded))));
}

// s + x s (1 - s) for the sigmoid s. 1 - s is exp(-x) s, which x times it does not blow up as the
// rounding of the difference; the bounds keep exp(-x) finite.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V vector_swish_slope(D d, V x) {
  const V bounded = at_least(d, -88.0f, at_most(d, 88.0f, x));
  const V one = hn::Set(d, 1.0f);
  const V e = vector_exp(d, hn::Neg(bounded));
  const V sigmoid = hn::Div(one, hn::Add(one, e));
  return hn::Mul(sigmoid, hn::MulAdd(bounded, hn::Mul(e, sigmoid), one));
}

template <Activation kind, class D, class V = hn::Vec<D>>
HWY_INLINE V vector_activate(D d, V x) {
  if constexpr (kind == Activation::identity) return x;
  if constexpr (kind == Activation::relu) return at_least(d, 0.0f, x);
  if constexpr (kind == Activation::tanh) return vector_tanh(d, x);
  if constexpr (kind == Activation::sigmoid) return vector_sigmoid(d, x);
  if constexpr (kind == Activation::gelu) return vector_gelu(d, x);
  if constexpr (kind == Activation::swish) return vector_swish(d, x);
}

// dy f'(x).
template <Activation kind, class D, class V = hn::Vec<D>>
HWY_INLINE V vector_activate_backward(D d, V x, V dy) {
  const V one = hn::Set(d, 1.0f);
  if constexpr (kind == Activation::identity) return dy;
  if constexpr (kind == Activation::relu) return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy);
  if constexpr (kind == Activation::tanh) {
    const V y = vector_tanh(d, x);
    return hn::Mul(dy, hn::NegMulAdd(y, y, one));
  }
  if constexpr (kind == Activation::sigmoid) {
    const V y = vector_sigmoid(d, x);
    return hn::Mul(dy, hn::NegMulAdd(y, y, y));
  }
  if constexpr (kind == Activation::gelu) return hn::Mul(dy, vector_gelu_slope(d, x));
  if constexpr (kind == Activation::swish) return hn::Mul(dy, vector_swish_slope(d, x));
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
