// What the recurrent kernels compute, element by element.
#pragma once

#include <cmath>
#include <cstddef>

#include "heed/kernels/recurrent.h"
#include "heed/kernels/reference/activation.h"

namespace heed::reference {

template <typename T>
void gru_step(const kernels::GruStep<T>& step) {
  const size_t hidden = step.state.size();
  for (size_t i = 0; i < hidden; ++i) {
    T& r = step.gates[i];
    T& z = step.gates[hidden + i];
    T& n = step.gates[2 * hidden + i];
    r = sigmoid(r + step.hidden_gates[i]);
    z = sigmoid(z + step.hidden_gates[hidden + i]);
    n = std::tanh(n + r * step.hidden_gates[2 * hidden + i]);
    step.state[i] = (T(1) - z) * n + z * step.previous[i];
  }
}

template <typename T>
void gru_step_backward(const kernels::GruStepGradient<T>& step) {
  const size_t hidden = step.state.size();
  for (size_t i = 0; i < hidden; ++i) {
    const T r = step.gates[i], z = step.gates[hidden + i], n = step.gates[2 * hidden + i];
    const T h_n = step.hidden_gates[2 * hidden + i];
    const T d_state = step.state[i];
    const T d_n = d_state * (T(1) - z) * (T(1) - n * n);
    const T d_z = d_state * (step.previous[i] - n) * z * (T(1) - z);
    const T d_r = d_n * h_n * r * (T(1) - r);
    step.gates[i] = step.hidden_gates[i] = d_r;
    step.gates[hidden + i] = step.hidden_gates[hidden + i] = d_z;
    step.gates[2 * hidden + i] = d_n;
    step.hidden_gates[2 * hidden + i] = d_n * r;
    step.state[i] = d_state * z;
  }
}

template <typename T>
void lstm_step(const kernels::LstmStep<T>& step) {
  const size_t hidden = step.state.size();
  for (size_t k = 0; k < hidden; ++k) {
    T& i = step.gates[k];
    T& f = step.gates[hidden + k];
    T& g = step.gates[2 * hidden + k];
    T& o = step.gates[3 * hidden + k];
    i = sigmoid(i + step.hidden_gates[k]);
    f = sigmoid(f + step.hidden_gates[hidden + k]);
    g = std::tanh(g + step.hidden_gates[2 * hidden + k]);
    o = sigmoid(o + step.hidden_gates[3 * hidden + k]);
    step.cell[k] = f * step.previous_cell[k] + i * g;
    step.hidden_gates[k] = std::tanh(step.cell[k]);
    step.state[k] = o * step.hidden_gates[k];
  }
}

template <typename T>
void lstm_step_backward(const kernels::LstmStepGradient<T>& step) {
  const size_t hidden = step.state.size();
  for (size_t k = 0; k < hidden; ++k) {
    const T i = step.gates[k], f = step.gates[hidden + k];
    const T g = step.gates[2 * hidden + k], o = step.gates[3 * hidden + k];
    const T tanh_cell = step.hidden_gates[k];
    const T d_cell = step.cell[k] + step.state[k] * o * (T(1) - tanh_cell * tanh_cell);
    step.gates[k] = step.hidden_gates[k] = d_cell * g * i * (T(1) - i);
    step.gates[hidden + k] = step.hidden_gates[hidden + k] =
        d_cell * step.previous_cell[k] * f * (T(1) - f);
    step.gates[2 * hidden + k] = step.hidden_gates[2 * hidden + k] = d_cell * i * (T(1) - g * g);
    step.gates[3 * hidden + k] = step.hidden_gates[3 * hidden + k] =
        step.state[k] * tanh_cell * o * (T(1) - o);
    step.cell[k] = d_cell * f;
  }
}

}  // namespace heed::reference
