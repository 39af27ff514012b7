#include "heed/kernels/recurrent.h"

#include "heed/kernels/reference/recurrent.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/recurrent.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"
#include "heed/kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

using Tag = hn::ScalableTag<float>;
using Vector = hn::Vec<Tag>;

// How a step touches memory: in whole vectors, and at the end of its spans in a partial one.
struct WholeVector {
  HWY_INLINE Vector load(const float* from) const { return hn::LoadU(Tag(), from); }
  HWY_INLINE void store(Vector v, float* to) const { hn::StoreU(v, Tag(), to); }
};

struct PartOfVector {
  size_t count;

  HWY_INLINE Vector load(const float* from) const { return load_first(Tag(), from, count); }
  HWY_INLINE void store(Vector v, float* to) const { store_first(v, Tag(), to, count); }
};

// Calls run(access, i) for all vectors of a span of `size` elements.
template <class Run>
HWY_INLINE void for_each_vector(size_t size, Run run) {
  const size_t lanes = hn::Lanes(Tag());
  size_t i = 0;
  for (; i + lanes <= size; i += lanes) run(WholeVector(), i);
  if (i < size) run(PartOfVector{size - i}, i);
}

// v (1 - v), the slope of a sigmoid by its value; and 1 - v², that of tanh.
HWY_INLINE Vector sigmoid_slope(Vector v) { return hn::NegMulAdd(v, v, v); }
HWY_INLINE Vector tanh_slope(Vector v) { return hn::NegMulAdd(v, v, hn::Set(Tag(), 1.0f)); }

void gru_step_loop(const GruStep<float>& step) {
  const size_t hidden = step.state.size();
  const float *previous = step.previous.data(), *h = step.hidden_gates.data();
  float *gates = step.gates.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto access, size_t i) HWY_ATTR {
    const Tag d;
    const size_t at_z = hidden + i, at_n = 2 * hidden + i;
    const Vector r = vector_sigmoid(d, hn::Add(access.load(gates + i), access.load(h + i)));
    const Vector z = vector_sigmoid(d, hn::Add(access.load(gates + at_z), access.load(h + at_z)));
    const Vector n = vector_tanh(d, hn::MulAdd(r, access.load(h + at_n), access.load(gates + at_n)));
    access.store(r, gates + i);
    access.store(z, gates + at_z);
    access.store(n, gates + at_n);
    access.store(hn::MulAdd(z, hn::Sub(access.load(previous + i), n), n), state + i);
  });
}

void gru_step_backward_loop(const GruStepGradient<float>& step) {
  const size_t hidden = step.state.size();
  const float* previous = step.previous.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto access, size_t i) HWY_ATTR {
    const size_t at_z = hidden + i, at_n = 2 * hidden + i;
    const Vector r = access.load(gates + i), z = access.load(gates + at_z), n = access.load(gates + at_n);
    const Vector d_state = access.load(state + i), through = hn::Mul(d_state, z);
    const Vector d_n = hn::Mul(hn::Sub(d_state, through), tanh_slope(n));
    const Vector d_z = hn::Mul(hn::Mul(d_state, hn::Sub(access.load(previous + i), n)), sigmoid_slope(z));
    const Vector d_r = hn::Mul(hn::Mul(d_n, access.load(h + at_n)), sigmoid_slope(r));
    access.store(d_r, gates + i);
    access.store(d_r, h + i);
    access.store(d_z, gates + at_z);
    access.store(d_z, h + at_z);
    access.store(d_n, gates + at_n);
    access.store(hn::Mul(d_n, r), h + at_n);
    access.store(through, state + i);
  });
}

void lstm_step_loop(const LstmStep<float>& step) {
  const size_t hidden = step.state.size();
  const float* previous_cell = step.previous_cell.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data();
  float *new_cell = step.cell.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto access, size_t k) HWY_ATTR {
    const Tag d;
    const size_t at_f = hidden + k, at_g = 2 * hidden + k, at_o = 3 * hidden + k;
    const Vector i = vector_sigmoid(d, hn::Add(access.load(gates + k), access.load(h + k)));
    const Vector f = vector_sigmoid(d, hn::Add(access.load(gates + at_f), access.load(h + at_f)));
    const Vector g = vector_tanh(d, hn::Add(access.load(gates + at_g), access.load(h + at_g)));
    const Vector o = vector_sigmoid(d, hn::Add(access.load(gates + at_o), access.load(h + at_o)));
    const Vector cell = hn::MulAdd(f, access.load(previous_cell + k), hn::Mul(i, g));
    const Vector tanh_cell = vector_tanh(d, cell);
    access.store(i, gates + k);
    access.store(f, gates + at_f);
    access.store(g, gates + at_g);
    access.store(o, gates + at_o);
    access.store(cell, new_cell + k);
    access.store(tanh_cell, h + k);
    access.store(hn::Mul(o, tanh_cell), state + k);
  });
}

void lstm_step_backward_loop(const LstmStepGradient<float>& step) {
  const size_t hidden = step.state.size();
  const float *previous_cell = step.previous_cell.data(), *state = step.state.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data(), *cell = step.cell.data();
  for_each_vector(hidden, [=](auto access, size_t k) HWY_ATTR {
    const size_t at_f = hidden + k, at_g = 2 * hidden + k, at_o = 3 * hidden + k;
    const Vector i = access.load(gates + k), f = access.load(gates + at_f);
    const Vector g = access.load(gates + at_g), o = access.load(gates + at_o);
    const Vector tanh_cell = access.load(h + k), d_state = access.load(state + k);
    const Vector d_cell = hn::MulAdd(hn::Mul(d_state, o), tanh_slope(tanh_cell), access.load(cell + k));
    const Vector d_i = hn::Mul(hn::Mul(d_cell, g), sigmoid_slope(i));
    const Vector d_f = hn::Mul(hn::Mul(d_cell, access.load(previous_cell + k)), sigmoid_slope(f));
    const Vector d_g = hn::Mul(hn::Mul(d_cell, i), tanh_slope(g));
    const Vector d_o = hn::Mul(hn::Mul(d_state, tanh_cell), sigmoid_slope(o));
    for (float* target : {gates, h}) {
      access.store(d_i, target + k);
      access.store(d_f, target + at_f);
      access.store(d_g, target + at_g);
      access.store(d_o, target + at_o);
    }
    access.store(hn::Mul(d_cell, f), cell + k);
  });
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(gru_step_loop);
HWY_EXPORT(gru_step_backward_loop);
HWY_EXPORT(lstm_step_loop);
HWY_EXPORT(lstm_step_backward_loop);

void gru_step(const GruStep<float>& step) { HWY_DYNAMIC_DISPATCH(gru_step_loop)(step); }
void gru_step(const GruStep<double>& step) { reference::gru_step(step); }

void gru_step_backward(const GruStepGradient<float>& step) {
  HWY_DYNAMIC_DISPATCH(gru_step_backward_loop)(step);
}
void gru_step_backward(const GruStepGradient<double>& step) { reference::gru_step_backward(step); }

void lstm_step(const LstmStep<float>& step) { HWY_DYNAMIC_DISPATCH(lstm_step_loop)(step); }
void lstm_step(const LstmStep<double>& step) { reference::lstm_step(step); }

void lstm_step_backward(const LstmStepGradient<float>& step) {
  HWY_DYNAMIC_DISPATCH(lstm_step_backward_loop)(step);
}
void lstm_step_backward(const LstmStepGradient<double>& step) { reference::lstm_step_backward(step); }

}  // namespace heed::kernels
#endif
