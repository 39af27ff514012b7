// Hypotheses of the recurrent encoder–decoder, growing token by token.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "heed/attention/attentive_cell.h"
#include "heed/layers/embedding.h"
#include "heed/layers/linear.h"
#include "heed/models/hypotheses.h"
#include "heed/models/model.h"

namespace heed {

// What decoders need from their model, packed once for all of them.
struct RnnDecoderWeights {
  static RnnDecoderWeights of(const Embedding& embedding, const AttentiveWeights& weights,
                              int64_t context_width, const Linear& readout,
                              const OutputLayer& output, Precision precision);

  Embedding embedding;
  AttentiveWeights weights;
  AttentiveCell<float> cell;
  kernels::PackedWeights input;  // the token's part of the lowest layer
  PreparedWeight readout, output;
  Tensor readout_bias, output_bias;
  int64_t context_width;
};

// What a decoder takes from encoded source sentences.
struct RnnSource {
  Ragged layout;
  Tensor keys;    // (source tokens, score width); absent without attention
  Tensor values;  // (source tokens, context width), or without attention (sentences, context width)
  std::vector<Tensor> hidden;  // the decoder's initial states, per layer (sentences, hidden)
  std::vector<Tensor> cells;   // the same, of an LSTM
};

class RnnDecoder final : public Decoder {
 public:
  using Encode = std::function<RnnSource(const TokenBatch& source)>;

  // The weights live longer.
  RnnDecoder(const RnnDecoderWeights& weights, Encode encode);

  int64_t hypotheses() const override { return hypotheses_.count(); }
  void add(const TokenBatch& source, std::optional<AttentionChoice> attention) override;
  Tensor step(std::span<const int32_t> tokens) override;
  void select(std::span<const int64_t> from) override;
  Tensor attention() const override;

 private:
  // For one step of all hypotheses.
  struct LayerScratch {
    Tensor input, gates, hidden_gates, states, cells;
  };

  void make_scratch();
  void embed_tokens(std::span<const int32_t> tokens);
  StepRows<float> rows();
  void keep_states();
  // A part of `joined_`: (hypotheses, state + context + token), which is what the readout reads.
  kernels::MatrixView<float> joined_states();
  kernels::MatrixView<float> joined_contexts();
  kernels::MatrixView<float> joined_tokens();

  void join(const RnnSource& source);
  void forget_sentences();

  const RnnDecoderWeights& weights_;
  Encode encode_;
  Hypotheses hypotheses_;
  // Of the sentences that have a hypothesis, and maybe of some that have none any more.
  Ragged source_;
  Tensor keys_, values_;
  std::vector<bool> looked_at_;         // sentences of which attention is wanted
  std::vector<Tensor> hidden_, cells_;  // states of the hypotheses, per layer
  std::vector<LayerScratch> scratch_;
  Tensor joined_, queries_, attention_, features_, logits_;
};

}  // namespace heed
