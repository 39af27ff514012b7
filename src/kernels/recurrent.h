// One time step of one sequence in a GRU or an LSTM, after the matrix products: the gates and the
// new state, and their gradients. The backward pass reads what the forward pass left in its
// buffers, and replaces it by gradients: a whole sequence needs no other memory. Buffers of one
// call do not overlap.
#pragma once

#include <span>

namespace heed::kernels {

// With x and h the projections W_ih input + b_ih and W_hh previous + b_hh, each (reset, update,
// candidate):
//   r = sigmoid(x_r + h_r)   z = sigmoid(x_z + h_z)   n = tanh(x_n + r h_n)   state = (1 - z) n + z
//   previous
template <typename T>
struct GruStep {
  std::span<const T> previous;      // (hidden)
  std::span<const T> hidden_gates;  // (3 hidden): h
  std::span<T> gates;               // (3 hidden): x; becomes r, z, n
  std::span<T> state;               // (hidden): written
};

template <typename T>
struct GruStepGradient {
  std::span<const T> previous;  // (hidden)
  std::span<T> hidden_gates;    // (3 hidden): h; becomes its gradient
  std::span<T> gates;           // (3 hidden): r, z, n; becomes the gradient of x
  // (hidden): the state's gradient; becomes the part that reaches `previous` directly.
  std::span<T> state;
};

void gru_step(const GruStep<float>& step);
void gru_step(const GruStep<double>& step);
void gru_step_backward(const GruStepGradient<float>& step);
void gru_step_backward(const GruStepGradient<double>& step);

// With x and h the projections as above, each (input, forget, candidate, output):
//   i = sigmoid(x_i + h_i)   f = sigmoid(x_f + h_f)   g = tanh(x_g + h_g)   o = sigmoid(x_o + h_o)
//   cell = f previous_cell + i g   state = o tanh(cell)
template <typename T>
struct LstmStep {
  std::span<const T> previous_cell;  // (hidden)
  std::span<T> hidden_gates;         // (4 hidden): h; its first quarter becomes tanh(cell)
  std::span<T> gates;                // (4 hidden): x; becomes i, f, g, o
  std::span<T> cell;                 // (hidden): written
  std::span<T> state;                // (hidden): written
};

template <typename T>
struct LstmStepGradient {
  std::span<const T> previous_cell;  // (hidden)
  std::span<const T> state;          // (hidden): the state's gradient
  // (4 hidden): tanh(cell) in the first quarter; becomes the gradient of h.
  std::span<T> hidden_gates;
  std::span<T> gates;  // (4 hidden): i, f, g, o; becomes the gradient of x, which equals that of h
  std::span<T> cell;   // (hidden): the cell's gradient; becomes that of `previous_cell`
};

void lstm_step(const LstmStep<float>& step);
void lstm_step(const LstmStep<double>& step);
void lstm_step_backward(const LstmStepGradient<float>& step);
void lstm_step_backward(const LstmStepGradient<double>& step);

}  // namespace heed::kernels
