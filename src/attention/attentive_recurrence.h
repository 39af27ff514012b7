// A recurrent decoder with attention over a whole ragged batch, as one op on the tape.
#pragma once

#include <memory>
#include <vector>

#include "heed/attention/attentive_cell.h"
#include "heed/attention/recorder.h"
#include "heed/autograd/tape.h"
#include "heed/autograd/time_steps.h"

namespace heed {

struct AttentiveInputs {
  // The tokens of the target in the order of its time steps: row steps.first(t) + rank is what the
  // sequence of that rank reads at step t.
  Variable x;                    // (tokens, inputs)
  std::vector<Variable> hidden;  // per layer, (sequences that are not empty, hidden), by rank
  std::vector<Variable> cells;   // the same, for the LSTM only
  Variable keys;    // (source tokens, score width): as the score compares them, already projected
  Variable values;  // (source tokens, context width)
  Ragged source;
  AttentiveWeights weights;  // the op watches them
  double dropout = 0.0;      // between the layers
};

// (tokens, hidden + context width), in the order of x: the top layer's states after each step, and
// the contexts that were found before it. Defined by one AttentiveCell step after the other; per
// sequence
//   context = attend(query = state of the top layer, keys, values),  states = recurrent step of
//   (context, x).
//
// Where somebody looks, `record` receives the weights, and the gradient of the contexts, both in
// the order of the sentences.
Variable recur_attentively(const AttentiveInputs& inputs, std::shared_ptr<const TimeSteps> steps,
                           RecordedAttention* record = nullptr);

}  // namespace heed
