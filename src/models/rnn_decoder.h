// Hypotheses of the recurrent encoder–decoder, growing token by token.
#pragma once

#include <vector>

#include "heed/layers/embedding.h"
#include "heed/layers/linear.h"
#include "heed/models/attentive_cell.h"
#include "heed/models/hypotheses.h"
#include "heed/models/model.h"

namespace heed {

// What the decoder takes from its model and from the encoded source. The tensors are its own or parameters.
struct RnnDecoderParts {
  Embedding embedding;
  AttentiveWeights weights;
  Linear readout;
  OutputLayer output;
  Ragged source;
  Tensor keys;    // (source tokens, score depth); absent without attention
  Tensor values;  // (source tokens, context depth), or without attention (sentences, context depth)
  std::vector<Tensor> hidden;  // the decoder's start, per layer (sentences, hidden)
  std::vector<Tensor> cells;   // the same, of an LSTM
};

class RnnDecoder final : public Decoder {
 public:
  RnnDecoder(RnnDecoderParts parts, const DecoderOptions& options);

  int64_t hypotheses() const override { return hypotheses_.count(); }
  Tensor step(std::span<const int32_t> tokens) override;
  void select(std::span<const int64_t> from) override;
  Tensor attention() const override { return wants_attention_ ? weights_ : Tensor(); }

 private:
  // Room for one step of all hypotheses.
  struct LayerRoom {
    Tensor input, gates, hidden_gates, states, cells;
  };

  void make_room();
  void embed_tokens(std::span<const int32_t> tokens);
  StepRows<float> rows();
  void keep_states();
  // A part of `joined_`: (hypotheses, state + context + token), which is what the readout reads.
  kernels::MatrixView<float> joined_states();
  kernels::MatrixView<float> joined_contexts();
  kernels::MatrixView<float> joined_tokens();

  RnnDecoderParts parts_;
  bool attends_;
  bool wants_attention_;
  int64_t context_depth_;
  AttentiveCell<float> cell_;
  kernels::PackedWeights input_, readout_, output_;
  Hypotheses hypotheses_;
  std::vector<LayerRoom> room_;
  Tensor joined_, queries_, weights_, features_, logits_;
};

}  // namespace heed
