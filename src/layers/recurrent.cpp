#include "heed/layers/recurrent.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/autograd/dropout.h"
#include "heed/autograd/layout.h"
#include "heed/base/error.h"

namespace heed {

Recurrent::Recurrent(RecurrentKind kind, const RecurrentConfig& config, Initialiser init)
    : kind_(kind), config_(config) {
  require(config.inputs > 0 && config.hidden > 0 && config.layers > 0,
          "recurrent: {} inputs, {} hidden and {} layers, but all must be positive", config.inputs,
          config.hidden, config.layers);
  require(config.dropout >= 0.0 && config.dropout < 1.0,
          "recurrent: a dropout of {} but 0 <= dropout < 1 was expected", config.dropout);
  const double bound = 1.0 / std::sqrt(static_cast<double>(config.hidden));
  const int64_t rows = gates_of(kind) * config.hidden;
  for (int layer = 0; layer < config.layers; ++layer) {
    const int64_t inputs = layer == 0 ? config.inputs : config.hidden * directions();
    for (int direction = 0; direction < directions(); ++direction)
      weights_.push_back({.input_weight = init.uniform({rows, inputs}, bound),
                          .hidden_weight = init.uniform({rows, config.hidden}, bound),
                          .input_bias = init.uniform({rows}, bound),
                          .hidden_bias = init.uniform({rows}, bound)});
  }
}

RecurrentResult Recurrent::operator()(const Variable& x, const Ragged& layout,
                                      const RecurrentState& initial) const {
  for (const auto* states : {&initial.hidden, &initial.cells})
    require(states->empty() || states->size() == weights_.size(),
            "recurrent: {} initial states but {} layers and directions", states->size(),
            weights_.size());
  const auto steps = std::make_shared<const TimeSteps>(layout);
  RecurrentResult result{.outputs = x, .last = {}};
  for (size_t index = 0; index < weights_.size();) {
    const Variable input = index == 0 ? x : dropout(result.outputs, config_.dropout);
    std::vector<Variable> outputs;
    for (int direction = 0; direction < directions(); ++direction, ++index) {
      const RecurrenceResult one = run_direction(index, input, steps, initial);
      outputs.push_back(one.outputs);
      result.last.hidden.push_back(one.hidden);
      if (one.cells.present()) result.last.cells.push_back(one.cells);
    }
    result.outputs = outputs.size() == 1 ? outputs[0] : concatenate_columns(outputs);
  }
  return result;
}

RecurrenceResult Recurrent::run_direction(size_t index, const Variable& x,
                                          const std::shared_ptr<const TimeSteps>& steps,
                                          const RecurrentState& initial) const {
  Tape& tape = x.tape();
  const RecurrentWeights& weights = weights_[index];
  const bool reverse = config_.bidirectional && index % 2 == 1;
  return recur(kind_,
               {.x = x,
                .input_weight = tape.watch(weights.input_weight),
                .hidden_weight = tape.watch(weights.hidden_weight),
                .input_bias = tape.watch(weights.input_bias),
                .hidden_bias = tape.watch(weights.hidden_bias),
                .hidden = initial.hidden.empty() ? Variable() : initial.hidden[index],
                .cells = initial.cells.empty() ? Variable() : initial.cells[index]},
               steps, reverse ? Direction::reverse : Direction::forward);
}

RecurrentState Recurrent::step(const Variable& x, const RecurrentState& state) const {
  require(!config_.bidirectional, "recurrent: a bidirectional network cannot run step by step");
  require(x.shape().rank() == 2,
          "recurrent: a step's input of shape {} but (sequences, inputs) was expected", x.shape());
  const std::vector<int64_t> one_token_each(static_cast<size_t>(x.shape()[0]), 1);
  return (*this)(x, Ragged(one_token_each), state).last;
}

void Recurrent::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  for (size_t index = 0; index < weights_.size(); ++index) {
    const size_t layer = index / static_cast<size_t>(directions());
    const bool reverse = config_.bidirectional && index % 2 == 1;
    const std::string suffix = fmt::format("_l{}{}", layer, reverse ? "_reverse" : "");
    visit(dotted(prefix, "weight_ih" + suffix), weights_[index].input_weight);
    visit(dotted(prefix, "weight_hh" + suffix), weights_[index].hidden_weight);
    visit(dotted(prefix, "bias_ih" + suffix), weights_[index].input_bias);
    visit(dotted(prefix, "bias_hh" + suffix), weights_[index].hidden_bias);
  }
}

}  // namespace heed
