// The Transformer encoder–decoder (Vaswani et al., 2017).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/layers/embedding.h"
#include "heed/models/model.h"
#include "heed/models/transformer_config.h"
#include "heed/models/transformer_layer.h"

namespace heed {

// Parameters have the names of MarianMT folders: model.shared.weight,
// model.encoder.layers.0.self_attn.q_proj.weight, …, final_logits_bias.
class Transformer final : public Model {
 public:
  Transformer(const TransformerConfig& config, Rng& rng);

  Variable features(Tape& tape, const Batch& batch) const override;
  OutputLayer output_layer() const override;
  std::unique_ptr<Decoder> decode(const TokenBatch& source,
                                  const DecoderOptions& options = {}) const override;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  void make_ready(Precision precision) override;
  int64_t context_length() const override;
  int64_t source_multiplications() const override;
  int64_t target_multiplications() const override;

  const TransformerConfig& config() const { return config_; }

  // The part of the source sentences that the encoder reads.
  TokenBatch readable(const TokenBatch& source) const;
  // The encoder's result for each token that it reads: (tokens, width).
  Variable encode(Tape& tape, const TokenBatch& readable) const;

 private:
  friend class TransformerDecoder;

  // The input of the first layer: embeddings with positions and dropout.
  Variable embed(Tape& tape, const Embedding& table, const Tensor& positions,
                 const TokenBatch& tokens, int64_t first = 0) const;
  Variable with_positions(const Variable& x, const Ragged& layout, const Tensor& learned,
                          int64_t first) const;
  bool adds_positions_at(int64_t layer) const;
  Variable score_words(const Variable& features) const;
  int64_t attention_weights() const;

  TransformerConfig config_;
  std::optional<Embedding> source_embedding_;  // absent when it is the target's
  Embedding target_embedding_;
  Tensor output_weight_;                        // absent when it is the target's embedding
  ReadyWeight ready_output_;                    // absent before make_ready
  Tensor output_bias_;                          // (target vocabulary)
  Tensor source_positions_, target_positions_;  // learned ones; otherwise absent
  Tensor sinusoids_;  // enough for most sentences; absent for other kinds of positions
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::optional<LayerNorm> encoder_norm_,
      decoder_norm_;  // the final norms of a pre-norm model
};

}  // namespace heed
