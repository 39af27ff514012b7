// One direction of one recurrent layer over a whole ragged batch, as one op on the tape.
#pragma once

#include <memory>

#include "heed/autograd/tape.h"
#include "heed/autograd/time_steps.h"

namespace heed {

enum class RecurrentKind { gru, lstm };

int64_t gates_of(RecurrentKind kind);  // 3 or 4
int64_t states_of(
    RecurrentKind kind);  // what a step passes to the next: 1 (hidden) or 2 (hidden and cell)

// The gates are stacked in PyTorch's order: reset, update, candidate or input, forget, candidate,
// output. The GRU's reset gate acts after the hidden product, as PyTorch's does.
struct RecurrenceInputs {
  Variable x;              // (tokens, inputs)
  Variable input_weight;   // (gates × hidden, inputs)
  Variable hidden_weight;  // (gates × hidden, hidden)
  Variable input_bias;     // (gates × hidden)
  Variable hidden_bias;    // (gates × hidden)
  Variable hidden;         // (sequences, hidden): the initial states; zeros if absent
  Variable cells;          // the same, for the LSTM only
};

// What one layer learns in one direction; see RecurrenceInputs.
struct RecurrentWeights {
  Tensor input_weight, hidden_weight, input_bias, hidden_bias;
};

struct RecurrenceResult {
  Variable outputs;  // (tokens, hidden)
  Variable hidden;   // (sequences, hidden): the states after each sequence's last step
  Variable cells;    // the same; absent for the GRU
};

// A sequence without tokens keeps its initial states.
RecurrenceResult recur(RecurrentKind kind, const RecurrenceInputs& inputs,
                       std::shared_ptr<const TimeSteps> steps, Direction direction);

}  // namespace heed
