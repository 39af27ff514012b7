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

// v (1 - v), the slope of a sigmoid by its value; and 1 - v², that of tanh.
HWY_INLINE Vector sigmoid_slope(Vector v) { return hn::NegMulAdd(v, v, v); }
HWY_INLINE Vector tanh_slope(Vector v) { return hn::NegMulAdd(v, v, hn::Set(Tag(), 1.0f)); }

void gru_step_loop(const GruStep<float>& step) {
  const size_t hidden = step.state.size(), z_gate = hidden, n_gate = 2 * hidden;
  const float *previous = step.previous.data(), *h = step.hidden_gates.data();
  float *gates = step.gates.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto at) HWY_ATTR {
    const Tag d;
    const Vector r = vector_sigmoid(d, hn::Add(at.load(gates), at.load(h)));
    const Vector z = vector_sigmoid(d, hn::Add(at.load(gates + z_gate), at.load(h + z_gate)));
    const Vector n = vector_tanh(d, hn::MulAdd(r, at.load(h + n_gate), at.load(gates + n_gate)));
    at.store(r, gates);
    at.store(z, gates + z_gate);
    at.store(n, gates + n_gate);
    at.store(hn::MulAdd(z, hn::Sub(at.load(previous), n), n), state);
  });
}

void gru_step_backward_loop(const GruStepGradient<float>& step) {
  const size_t hidden = step.state.size(), z_gate = hidden, n_gate = 2 * hidden;
  const float* previous = step.previous.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto at) HWY_ATTR {
    const Vector r = at.load(gates), z = at.load(gates + z_gate), n = at.load(gates + n_gate);
    const Vector d_state = at.load(state), through = hn::Mul(d_state, z);
    const Vector d_n = hn::Mul(hn::Sub(d_state, through), tanh_slope(n));
    const Vector d_z = hn::Mul(hn::Mul(d_state, hn::Sub(at.load(previous), n)), sigmoid_slope(z));
    const Vector d_r = hn::Mul(hn::Mul(d_n, at.load(h + n_gate)), sigmoid_slope(r));
    at.store(d_r, gates);
    at.store(d_r, h);
    at.store(d_z, gates + z_gate);
    at.store(d_z, h + z_gate);
    at.store(d_n, gates + n_gate);
    at.store(hn::Mul(d_n, r), h + n_gate);
    at.store(through, state);
  });
}

void lstm_step_loop(const LstmStep<float>& step) {
  const size_t hidden = step.state.size(), f_gate = hidden, g_gate = 2 * hidden,
               o_gate = 3 * hidden;
  const float* previous_cell = step.previous_cell.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data();
  float *new_cell = step.cell.data(), *state = step.state.data();
  for_each_vector(hidden, [=](auto at) HWY_ATTR {
    const Tag d;
    const Vector i = vector_sigmoid(d, hn::Add(at.load(gates), at.load(h)));
    const Vector f = vector_sigmoid(d, hn::Add(at.load(gates + f_gate), at.load(h + f_gate)));
    const Vector g = vector_tanh(d, hn::Add(at.load(gates + g_gate), at.load(h + g_gate)));
    const Vector o = vector_sigmoid(d, hn::Add(at.load(gates + o_gate), at.load(h + o_gate)));
    const Vector cell = hn::MulAdd(f, at.load(previous_cell), hn::Mul(i, g));
    const Vector tanh_cell = vector_tanh(d, cell);
    at.store(i, gates);
    at.store(f, gates + f_gate);
    at.store(g, gates + g_gate);
    at.store(o, gates + o_gate);
    at.store(cell, new_cell);
    at.store(tanh_cell, h);
    at.store(hn::Mul(o, tanh_cell), state);
  });
}

void lstm_step_backward_loop(const LstmStepGradient<float>& step) {
  const size_t hidden = step.state.size(), f_gate = hidden, g_gate = 2 * hidden,
               o_gate = 3 * hidden;
  const float *previous_cell = step.previous_cell.data(), *state = step.state.data();
  float *gates = step.gates.data(), *h = step.hidden_gates.data(), *cell = step.cell.data();
  for_each_vector(hidden, [=](auto at) HWY_ATTR {
    const Vector i = at.load(gates), f = at.load(gates + f_gate);
    const Vector g = at.load(gates + g_gate), o = at.load(gates + o_gate);
    const Vector tanh_cell = at.load(h), d_state = at.load(state);
    const Vector d_cell = hn::MulAdd(hn::Mul(d_state, o), tanh_slope(tanh_cell), at.load(cell));
    const Vector d_i = hn::Mul(hn::Mul(d_cell, g), sigmoid_slope(i));
    const Vector d_f = hn::Mul(hn::Mul(d_cell, at.load(previous_cell)), sigmoid_slope(f));
    const Vector d_g = hn::Mul(hn::Mul(d_cell, i), tanh_slope(g));
    const Vector d_o = hn::Mul(hn::Mul(d_state, tanh_cell), sigmoid_slope(o));
    for (float* target : {gates, h}) {
      at.store(d_i, target);
      at.store(d_f, target + f_gate);
      at.store(d_g, target + g_gate);
      at.store(d_o, target + o_gate);
    }
    at.store(hn::Mul(d_cell, f), cell);
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
void lstm_step_backward(const LstmStepGradient<double>& step) {
  reference::lstm_step_backward(step);
}

}  // namespace heed::kernels
#endif
