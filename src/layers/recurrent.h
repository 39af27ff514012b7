// What GRU and LSTM networks share: layers and directions around one recurrence.
#pragma once

#include <string_view>
#include <vector>

#include "heed/autograd/recurrence.h"
#include "heed/layers/initialisation.h"
#include "heed/layers/parameter.h"

namespace heed {

struct RecurrentConfig {
  int64_t inputs = 512;
  int64_t hidden = 512;
  int layers = 1;
  bool bidirectional = false;
  double dropout = 0.0;  // between the layers
};

// One variable (sequences, hidden) per layer and direction: layer 0 forward, layer 0 reverse, layer
// 1 forward, ... Empty vectors stand for zeros.
struct RecurrentState {
  std::vector<Variable> hidden;
  std::vector<Variable> cells;  // of an LSTM; empty for a GRU
};

struct RecurrentResult {
  Variable outputs;     // (tokens, hidden × directions), the reverse direction in the right half
  RecurrentState last;  // after each sequence's last step
};

// Equals torch.nn.GRU and torch.nn.LSTM on packed sequences, with the same names and shapes of
// parameters, which all start uniform within ±1 / sqrt(hidden), as in PyTorch. Gru and Lstm are its
// two kinds.
class Recurrent {
 public:
  Recurrent(RecurrentKind kind, const RecurrentConfig& config, Initialiser init);

  // x (tokens, inputs): the sequences of the layout end to end. Sequences may be empty.
  RecurrentResult operator()(const Variable& x, const Ragged& layout,
                             const RecurrentState& initial = {}) const;

  // One time step of every sequence: x (sequences, inputs). The output of the step is the new
  // state's `hidden.back()`. For decoders, which compute x from the previous state; not for
  // bidirectional networks.
  RecurrentState step(const Variable& x, const RecurrentState& state) const;

  // weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, the same with _reverse, then layer 1 ...
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);

  RecurrentKind kind() const { return kind_; }
  const RecurrentConfig& config() const { return config_; }
  // Per layer and direction, in the order of RecurrentState: for ops that walk the layers in their
  // own way.
  const std::vector<RecurrentWeights>& weights() const { return weights_; }
  int directions() const { return config_.bidirectional ? 2 : 1; }

 private:
  RecurrenceResult run_direction(size_t index, const Variable& x,
                                 const std::shared_ptr<const TimeSteps>& steps,
                                 const RecurrentState& initial) const;

  RecurrentKind kind_;
  RecurrentConfig config_;
  std::vector<RecurrentWeights> weights_;
};

}  // namespace heed
