// The recurrent encoder–decoder, with attention or with one fixed context.
//
// An encoder of GRU or LSTM layers reads the source, in both directions if wanted. The decoder's
// layers start from its last states. At each step the decoder's top state before the step asks the
// encoder's outputs for a context, which joins the embedded token as the input of the step
// (Bahdanau et al., 2015). Without attention the context is the encoder's last top state at every
// step (Cho et al., 2014).
//
// The output layer reads tanh(readout (state, context, token)), as wide as an embedding. Since it
// reads the context directly, the state need not carry it, and since it has the width of the
// embeddings, the output layer can share their table, whatever the size of the state.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/attention/attentive_cell.h"
#include "heed/attention/score_layer.h"
#include "heed/layers/embedding.h"
#include "heed/layers/linear.h"
#include "heed/layers/recurrent.h"
#include "heed/models/model.h"
#include "heed/models/rnn_config.h"

namespace heed {

class Rnn final : public Model {
 public:
  Rnn(const RnnConfig& config, Initialiser init);

  Variable recorded_features(Tape& tape, const Batch& batch,
                             AttentionRecorder* recorder) const override;
  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const override;
  HeadCounts head_counts() const override;
  std::unique_ptr<Model> with_gates(std::span<const HeadGate> gates) const override;
  OutputLayer output_layer() const override;
  std::shared_ptr<const Generator> prepare(Precision precision) const override;

  // source_embedding, target_embedding (embedding if they are shared), encoder, bridge.hidden.N,
  // bridge.cells.N, score, decoder, readout, output.
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

  int64_t source_multiplications() const override;
  int64_t target_multiplications() const override;

  const RnnConfig& config() const { return config_; }

 private:
  friend class RnnGenerator;

  struct Encoded {
    Variable outputs;      // (source tokens, context width)
    Variable last;         // (sentences, context width): the top layer's last state
    RecurrentState start;  // of the decoder, per layer (sentences, hidden)
  };

  TokenBatch target_inputs(const Batch& batch) const;  // what the decoder reads
  Encoded encode(Tape& tape, const TokenBatch& source) const;
  std::vector<Variable> start_states(const std::vector<Variable>& last,
                                     const std::vector<Linear>& bridge) const;
  Variable features_with_attention(Tape& tape, const Batch& batch, const Encoded& encoded,
                                   AttentionRecorder* recorder) const;
  Variable features_of_fixed_context(Tape& tape, const Batch& batch, const Encoded& encoded) const;
  Variable read_out(const Variable& states_and_contexts, const Variable& x) const;
  AttentiveWeights attentive_weights(Tape& tape) const;
  // The same with layers that are prepared for inference. The recurrence itself is computed with
  // floats: it is a small part of the work, and its errors would add up.
  Rnn prepared_layers(Precision precision) const;
  Variable project_keys(const Variable& outputs) const;
  // What contexts are sums of: the encoder's outputs through the gate, if there is one.
  Variable gated_values(const Variable& outputs) const;
  const Embedding& target_embedding() const;

  RnnConfig config_;
  Embedding source_embedding_;
  std::optional<Embedding> target_embedding_;  // none if it is the source's
  Recurrent encoder_;
  std::vector<Linear> hidden_bridge_,
      cell_bridge_;  // per layer; none where the states fit as they are
  std::optional<ScoreLayer> score_;
  Recurrent decoder_;
  Linear readout_;
  Tensor output_weight_;  // none if it is the target embedding's
  Tensor output_bias_;
  std::vector<double> gates_;  // of the one head; none: 1
};

}  // namespace heed
