// A language model: a decoder alone, which continues texts (the shape of GPT and Llama).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "heed/layers/embedding.h"
#include "heed/models/language_model_config.h"
#include "heed/models/model.h"
#include "heed/models/transformer_layer.h"

namespace heed {

// There is no encoder: a batch has no source, and its target is text. Where a batch has a source
// nevertheless, the model reads it first, then the start token and the target; only the target is
// predicted.
//
// Parameters: model.embed_tokens.weight, model.layers.0.self_attn.q_proj.weight, …,
// model.norm.weight, lm_head.weight.
class LanguageModel final : public Model {
 public:
  LanguageModel(const LanguageModelConfig& config, Initialiser init);

  Variable recorded_features(Tape& tape, const Batch& batch,
                             AttentionRecorder* recorder) const override;
  void visit_look_ups(const Batch& batch, const LookUpVisitor& visit) const override;
  HeadCounts head_counts() const override;
  std::unique_ptr<Model> with_gates(std::span<const HeadGate> gates) const override;
  OutputLayer output_layer() const override;
  std::shared_ptr<const Generator> prepare(Precision precision) const override;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;
  int64_t max_length() const override { return config_.context_length; }
  int64_t source_multiplications() const override { return 0; }
  int64_t target_multiplications() const override;

  const LanguageModelConfig& config() const { return config_; }

 private:
  friend class LanguageModelGenerator;
  friend class LanguageModelDecoder;

  // The same with layers that are prepared for inference, and without an output layer.
  LanguageModel prepared_layers(Precision precision) const;

  // Tokens as the layers see them first: embedded, with their positions, dropped.
  Variable embed(Tape& tape, const TokenBatch& tokens, const FirstPositions& first = {}) const;
  Variable normalised(const Variable& x) const { return norm_ ? (*norm_)(x) : x; }

  LanguageModelConfig config_;
  Embedding embedding_;
  Tensor output_weight_;  // absent when it is the embedding's table
  Tensor positions_;      // what is added to the tokens, learned or sinusoids; otherwise absent
  std::vector<SelfAttentionLayer> layers_;
  std::optional<Norm> norm_;  // the final norm of a pre-norm model
};

}  // namespace heed
