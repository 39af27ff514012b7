// BERT (Devlin et al., 2018): the encoder of a Transformer alone.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "heed/layers/embedding.h"
#include "heed/layers/linear.h"
#include "heed/layers/norm.h"
#include "heed/models/bert_config.h"
#include "heed/models/encoding_model.h"
#include "heed/models/transformer_layer.h"

namespace heed {

// Embeddings of words, types and positions are added, normed, and go through the layers. All tokens
// are of the first type. Parameters have the names of Hugging Face's BertModel:
// embeddings.word_embeddings.weight, encoder.layer.0.attention.self.query.weight, …
// With a convolution, a block stands before the layers: norm(x + dropout(activation(W y + b))),
// where y are a token and its neighbours (see neighbours.h), so that the layers need not find out
// which words stand beside each other. Its parameters are encoder.convolution.dense and
// encoder.convolution.LayerNorm.
class Bert final : public EncodingModel {
 public:
  Bert(const BertConfig& config, Initialiser init);

  Variable encode(Tape& tape, const TokenBatch& tokens,
                  AttentionRecorder* recorder = nullptr) const override;
  // The two halves of `encode`: what the first layer reads, and what the layers make of that.
  Variable embedded(Tape& tape, const TokenBatch& tokens) const;
  Variable encode_embedded(const Variable& embedded, const Ragged& layout,
                           AttentionRecorder* recorder = nullptr) const;
  HeadCounts head_counts() const override;
  int64_t width() const override { return config_.width; }
  int64_t max_length() const override { return config_.context_length; }
  std::unique_ptr<EncodingModel> with_gates(std::span<const HeadGate> gates) const override;
  std::unique_ptr<const EncodingModel> prepare(Precision precision) const override;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) override;

  const BertConfig& config() const { return config_; }
  const Tensor& words() const { return words_; }  // (vocabulary, width)
  // By learned weights, forward.
  int64_t multiplications_per_token() const;

 private:
  struct Convolution {
    Linear dense;
    ResidualBlock block;
  };

  BertConfig config_;
  Tensor words_, types_, positions_;  // (vocabulary, types or context length; width)
  Norm norm_;
  std::optional<Convolution> convolution_;
  std::vector<SelfAttentionLayer> layers_;
};

}  // namespace heed
