#include "heed/autograd/recurrence.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "heed/autograd/layout.h"
#include "heed/autograd/step_product.h"
#include "heed/base/error.h"
#include "heed/kernels/arithmetic.h"
#include "heed/kernels/gemm.h"
#include "heed/kernels/recurrent.h"

namespace heed {

namespace {

// The results of the forward pass. "By token" is the order of x, in which the products with the
// inputs run over all tokens at once; "by step" is the order of the time steps, in which each
// step's product with the states runs over neighbouring rows. The backward pass turns the gates
// into their gradients, in place.
struct Trace {
  Tensor value;  // (tokens + states × sequences, hidden): outputs by token, then the last states
  Tensor gates;  // (tokens, gates × hidden), by token
  Tensor hidden_gates;    // (tokens, gates × hidden), by step
  Tensor previous;        // (tokens, hidden), by step: the hidden states that the steps begin with
  Tensor previous_cells;  // the same for the cells of an LSTM
};

template <typename T>
void copy_row(std::span<const T> from, std::span<T> into) {
  std::ranges::copy(from, into.begin());
}

// Both passes over a batch, in one type. Holds references: lives no longer than the call that makes
// it.
template <typename T>
class Pass {
 public:
  Pass(RecurrentKind kind, const RecurrenceInputs& inputs, const TimeSteps& steps,
       Direction direction, Trace& trace)
      : kind_(kind), inputs_(inputs), steps_(steps), direction_(direction), trace_(trace) {}

  void forward() {
    kernels::gemm(inputs_.x.value().matrix<T>(),
                  inputs_.input_weight.value().matrix<T>().transposed(), trace_.gates.matrix<T>(),
                  {.bias = inputs_.input_bias.value().span<T>()});
    for (int64_t rank = 0; rank < sequences(); ++rank) {
      start(inputs_.hidden, next_hidden(0, rank), rank);
      if (kind_ == RecurrentKind::lstm) start(inputs_.cells, next_cell(0, rank), rank);
    }
    const auto weights = for_steps(inputs_.hidden_weight.value().matrix<T>().transposed());
    for (int64_t step = 0; step < steps_.steps(); ++step) {
      multiply(of_step(std::as_const(trace_.previous), step), weights,
               of_step(trace_.hidden_gates, step), {.bias = inputs_.hidden_bias.value().span<T>()});
      for (int64_t rank = 0; rank < steps_.running(step); ++rank) forward_row(step, rank);
    }
  }

  void backward(const Tensor& gradient) {
    backward_through_time(gradient);
    add_product_gradients(inputs_.hidden_weight, inputs_.hidden_bias, trace_.hidden_gates,
                          trace_.previous);
    add_product_gradients(inputs_.input_weight, inputs_.input_bias, trace_.gates,
                          inputs_.x.value());
    if (!inputs_.x.needs_gradient()) return;
    Tensor dx = inputs_.x.tape().allocate(inputs_.x.shape(), type_of<T>());
    kernels::gemm(std::as_const(trace_.gates).matrix<T>(), inputs_.input_weight.value().matrix<T>(),
                  dx.matrix<T>());
    inputs_.x.add_gradient(dx);
  }

 private:
  int64_t sequences() const { return steps_.layout().sequences(); }
  int64_t by_step(int64_t step, int64_t rank) const { return steps_.first(step) + rank; }
  int64_t by_token(int64_t step, int64_t rank) const {
    return steps_.token(step, rank, direction_);
  }

  // Rows of `value` that hold a sequence's last states.
  int64_t last_hidden(int64_t rank) const {
    return steps_.layout().tokens() + steps_.sequence(rank);
  }
  int64_t last_cell(int64_t rank) const { return last_hidden(rank) + sequences(); }

  // Where a sequence's state before a step goes: to that step, or to the last states if the
  // sequence has ended.
  std::span<T> next_hidden(int64_t step, int64_t rank) {
    return rank < steps_.running(step) ? trace_.previous.row<T>(by_step(step, rank))
                                       : trace_.value.row<T>(last_hidden(rank));
  }
  std::span<T> next_cell(int64_t step, int64_t rank) {
    return rank < steps_.running(step) ? trace_.previous_cells.row<T>(by_step(step, rank))
                                       : trace_.value.row<T>(last_cell(rank));
  }

  void start(const Variable& initial, std::span<T> state, int64_t rank) {
    if (initial.present()) {
      copy_row(initial.value().row<T>(steps_.sequence(rank)), state);
    } else {
      std::ranges::fill(state, T(0));
    }
  }

  template <typename Rows>
  auto of_step(Rows& rows, int64_t step) const {
    auto view = rows.template matrix<T>();
    view.data = view.row(steps_.first(step));
    view.rows = steps_.running(step);
    return view;
  }

  // Turns the gates into their gradients, and sends those of the initial states.
  void backward_through_time(const Tensor& gradient) {
    Tape& tape = inputs_.x.tape();
    const Shape shape{sequences(), trace_.value.shape().columns()};
    // The gradients of the states, by rank, on their way from the last step to the first. A
    // sequence enters with the gradient of its last state.
    Tensor hidden = tape.allocate(shape, type_of<T>());
    Tensor cells = kind_ == RecurrentKind::lstm ? tape.allocate(shape, type_of<T>()) : Tensor();
    for (int64_t rank = 0; rank < sequences(); ++rank) {
      copy_row(gradient.row<T>(last_hidden(rank)), hidden.row<T>(rank));
      if (cells.present()) copy_row(gradient.row<T>(last_cell(rank)), cells.row<T>(rank));
    }
    const auto weights = for_steps(inputs_.hidden_weight.value().matrix<T>());
    for (int64_t step = steps_.steps() - 1; step >= 0; --step) {
      for (int64_t rank = 0; rank < steps_.running(step); ++rank)
        backward_row(step, rank, gradient, hidden, cells);
      // In an LSTM, the hidden state passes through a step only by way of the gates; in a GRU, also
      // directly.
      multiply(of_step(std::as_const(trace_.hidden_gates), step), weights,
               hidden.slice(0, steps_.running(step)).matrix<T>(),
               {.accumulate = kind_ == RecurrentKind::gru});
    }
    add_initial_gradient(inputs_.hidden, hidden);
    if (cells.present()) add_initial_gradient(inputs_.cells, cells);
  }

  void forward_row(int64_t step, int64_t rank) {
    const int64_t here = by_step(step, rank), token = by_token(step, rank);
    const std::span<T> output = trace_.value.row<T>(token);
    switch (kind_) {
      case RecurrentKind::gru:
        kernels::gru_step(kernels::GruStep<T>{.previous = trace_.previous.row<T>(here),
                                              .hidden_gates = trace_.hidden_gates.row<T>(here),
                                              .gates = trace_.gates.row<T>(token),
                                              .state = output});
        break;
      case RecurrentKind::lstm:
        kernels::lstm_step(kernels::LstmStep<T>{.previous_cell = trace_.previous_cells.row<T>(here),
                                                .hidden_gates = trace_.hidden_gates.row<T>(here),
                                                .gates = trace_.gates.row<T>(token),
                                                .cell = next_cell(step + 1, rank),
                                                .state = output});
        break;
    }
    copy_row<T>(output, next_hidden(step + 1, rank));
  }

  void backward_row(int64_t step, int64_t rank, const Tensor& gradient, Tensor& hidden,
                    Tensor& cells) {
    const int64_t here = by_step(step, rank), token = by_token(step, rank);
    const std::span<T> state = hidden.row<T>(rank);
    kernels::add_scaled(T(1), gradient.row<T>(token), state);
    switch (kind_) {
      case RecurrentKind::gru:
        kernels::gru_step_backward(
            kernels::GruStepGradient<T>{.previous = trace_.previous.row<T>(here),
                                        .hidden_gates = trace_.hidden_gates.row<T>(here),
                                        .gates = trace_.gates.row<T>(token),
                                        .state = state});
        break;
      case RecurrentKind::lstm:
        kernels::lstm_step_backward(
            kernels::LstmStepGradient<T>{.previous_cell = trace_.previous_cells.row<T>(here),
                                         .state = state,
                                         .hidden_gates = trace_.hidden_gates.row<T>(here),
                                         .gates = trace_.gates.row<T>(token),
                                         .cell = cells.row<T>(rank)});
        break;
    }
  }

  // From ranks back to the order of the sequences.
  void add_initial_gradient(const Variable& initial, const Tensor& by_rank) {
    if (!initial.needs_gradient()) return;
    Tensor gradient = initial.tape().allocate(initial.shape(), type_of<T>());
    for (int64_t rank = 0; rank < sequences(); ++rank)
      copy_row(by_rank.row<T>(rank), gradient.row<T>(steps_.sequence(rank)));
    initial.add_gradient(gradient);
  }

  void add_product_gradients(const Variable& weight, const Variable& bias, const Tensor& gates,
                             const Tensor& factor) {
    if (weight.needs_gradient()) {
      Tensor dweight = weight.gradient_to_add_to();
      kernels::gemm(gates.matrix<T>().transposed(), factor.matrix<T>(), dweight.matrix<T>(),
                    {.accumulate = true});
    }
    if (bias.needs_gradient()) {
      Tensor dbias = bias.gradient_to_add_to();
      kernels::sum_rows(gates.span<T>(), dbias.span<T>());
    }
  }

  RecurrentKind kind_;
  const RecurrenceInputs& inputs_;
  const TimeSteps& steps_;
  Direction direction_;
  Trace& trace_;
};

void require_shape(std::string_view what, const Variable& found, const Shape& expected, Type type) {
  require(found.shape() == expected, "recur: {} of shape {} but {} was expected", what,
          found.shape(), expected);
  require(found.type() == type, "recur: {} of type {} but the input has type {}", what,
          name_of(found.type()), name_of(type));
}

void check(RecurrentKind kind, const RecurrenceInputs& inputs, const Ragged& layout) {
  require(inputs.hidden_weight.shape().rank() == 2,
          "recur: hidden_weight of shape {} but it must be a matrix", inputs.hidden_weight.shape());
  require(inputs.x.shape().rank() == 2,
          "recur: an input of shape {} but (tokens, width) was expected", inputs.x.shape());
  const int64_t hidden = inputs.hidden_weight.shape()[1], rows = gates_of(kind) * hidden;
  const Type type = inputs.x.type();
  require(inputs.x.shape()[0] == layout.tokens(),
          "recur: an input of shape {} but the sequences have {} tokens", inputs.x.shape(),
          layout.tokens());
  require_shape("input_weight", inputs.input_weight, {rows, inputs.x.shape()[1]}, type);
  require_shape("hidden_weight", inputs.hidden_weight, {rows, hidden}, type);
  require_shape("input_bias", inputs.input_bias, {rows}, type);
  require_shape("hidden_bias", inputs.hidden_bias, {rows}, type);
  require(kind == RecurrentKind::lstm || !inputs.cells.present(),
          "recur: initial cells for a GRU, which has none");
  const Shape states{layout.sequences(), hidden};
  if (inputs.hidden.present()) require_shape("an initial state", inputs.hidden, states, type);
  if (inputs.cells.present()) require_shape("an initial cell", inputs.cells, states, type);
}

}  // namespace

int64_t gates_of(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::gru:
      return 3;
    case RecurrentKind::lstm:
      return 4;
  }
  __builtin_unreachable();
}

int64_t states_of(RecurrentKind kind) {
  switch (kind) {
    case RecurrentKind::gru:
      return 1;
    case RecurrentKind::lstm:
      return 2;
  }
  __builtin_unreachable();
}

RecurrenceResult recur(RecurrentKind kind, const RecurrenceInputs& inputs,
                       std::shared_ptr<const TimeSteps> steps, Direction direction) {
  const Ragged& layout = steps->layout();
  check(kind, inputs, layout);
  Tape& tape = inputs.x.tape();
  const Type type = inputs.x.type();
  const int64_t tokens = layout.tokens(), sequences = layout.sequences();
  const int64_t hidden = inputs.hidden_weight.shape()[1];

  Trace trace{.value = tape.allocate({tokens + states_of(kind) * sequences, hidden}, type),
              .gates = tape.allocate({tokens, gates_of(kind) * hidden}, type),
              .hidden_gates = tape.allocate({tokens, gates_of(kind) * hidden}, type),
              .previous = tape.allocate({tokens, hidden}, type),
              .previous_cells = {}};
  if (kind == RecurrentKind::lstm) trace.previous_cells = tape.allocate({tokens, hidden}, type);
  const auto with_pass = [kind, inputs, steps, direction, trace](auto run) {
    Trace shared = trace;
    with_type(inputs.x.type(), [&](auto zero) {
      run(Pass<decltype(zero)>(kind, inputs, *steps, direction, shared));
    });
  };

  with_pass([](auto pass) { pass.forward(); });
  const std::array all{inputs.x,          inputs.input_weight, inputs.hidden_weight,
                       inputs.input_bias, inputs.hidden_bias,  inputs.hidden,
                       inputs.cells};
  const Variable value = tape.record(trace.value, all, [with_pass](const Tensor& gradient) {
    with_pass([&](auto pass) { pass.backward(gradient); });
  });

  RecurrenceResult result{.outputs = slice(value, 0, tokens),
                          .hidden = slice(value, tokens, tokens + sequences),
                          .cells = {}};
  if (kind == RecurrentKind::lstm)
    result.cells = slice(value, tokens + sequences, tokens + 2 * sequences);
  return result;
}

}  // namespace heed
