// The Transformer encoder–decoder (Vaswani et al., 2017).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/layers/embedding.h"
#include "heed/models/adaptable_model.h"
#include "heed/models/guidable_model.h"
#include "heed/models/model.h"
#include "heed/models/transformer_config.h"
#include "heed/models/transformer_layer.h"

namespace heed {

// Parameters have the names of MarianMT folders: model.shared.weight,
// model.encoder.layers.0.self_attn.q_proj.weight, …, final_logits_bias.
class Transformer final : public Model, public AdaptableModel, public GuidableModel {
 public:
  Transformer(const TransformerConfig& config, Initialiser init);

  Variable recorded_features(Tape& tape, const Batch& batch,
                             AttentionRecorder* recorder) const override;
  Variable loss(Tape& tape, const Batch& batch, const CrossEntropyOptions& options) const override;
  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const override;
  HeadCounts head_counts() const override;
  TokenBatch readable(const TokenBatch& source) const override;
  std::unique_ptr<Model> with_gates(std::span<const HeadGate> gates) const override;
  OutputLayer output_layer() const override;
  std::shared_ptr<const Generator> prepare(Precision precision) const override;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  void visit_linears(const LinearVisitor& visit) override;
  void guide(const HeadGuide& guide) override;
  int64_t max_length() const override;
  int64_t source_multiplications() const override;
  int64_t target_multiplications() const override;

  const TransformerConfig& config() const { return config_; }

  // The encoder's result for each token that it reads: (tokens, width).
  Variable encode(Tape& tape, const TokenBatch& readable,
                  AttentionRecorder* recorder = nullptr) const;

 private:
  friend class TransformerGenerator;
  friend class TransformerDecoder;

  const Embedding& source_words() const {
    return source_embedding_ ? *source_embedding_ : target_embedding_;
  }
  TokenBatch target_inputs(const Batch& batch) const;  // what the decoder reads
  // The features, and the loss of the guided head, if it is asked for.
  Variable pass(Tape& tape, const Batch& batch, AttentionRecorder* recorder,
                GuidedAttention* guided) const;

  // The same model with layers that are prepared for inference, and without an output layer.
  Transformer prepared_layers(Precision precision) const;

  // What is added to the tokens for their positions, up to `end`: learned numbers or sinusoids;
  // absent where positions are of another kind.
  Tensor position_table(const Tensor& learned, int64_t end, Type type) const;
  // The vectors of target tokens, among which may be the start.
  Variable target_vectors(Tape& tape, std::span<const int32_t> ids) const;
  // The vectors of tokens as the layers see them first: with their positions, dropped.
  Variable placed(const Variable& vectors, const Ragged& layout, const Tensor& positions,
                  const FirstPositions& first = {}) const;
  Variable with_positions(const Variable& x, const Ragged& layout, const Tensor& positions,
                          const FirstPositions& first = {}) const;
  bool adds_positions_at(size_t layer) const;
  bool has_self_attention() const;  // of the decoder
  // Where the decoder's self-attention is recorded, if there is one and somebody looks.
  RecordedAttention* self_place(AttentionRecorder* recorder, size_t layer) const;

  TransformerConfig config_;
  std::optional<Embedding> source_embedding_;  // absent when it is the target's
  Embedding target_embedding_;
  Tensor output_weight_;                        // absent when it is the target's embedding
  Tensor output_bias_;                          // (target vocabulary)
  Tensor source_positions_, target_positions_;  // learned ones; otherwise absent
  Tensor sinusoids_;  // enough for most sentences; absent for other kinds of positions
  std::vector<EncoderLayer> encoder_;
  std::vector<DecoderLayer> decoder_;
  std::optional<Norm> encoder_norm_,
      decoder_norm_;  // the final norms of a pre-norm model
  std::optional<HeadGuide> guide_;
};

}  // namespace heed
