// A Transformer's hypotheses, growing token by token.
#pragma once

#include <vector>

#include "heed/models/hypotheses.h"
#include "heed/models/transformer.h"

namespace heed {

class TransformerDecoder final : public Decoder {
 public:
  TransformerDecoder(const Transformer& model, const TokenBatch& source,
                     const DecoderOptions& options);

  int64_t hypotheses() const override { return hypotheses_.count(); }
  Tensor step(std::span<const int32_t> tokens) override;
  void select(std::span<const int64_t> from) override;
  Tensor attention() const override { return attention_; }

 private:
  void keep_attention(const Tensor& weights);

  const Transformer& model_;
  DecoderOptions options_;
  Tape source_tape_;  // holds what the encoder found, and the caches
  Tape step_tape_;
  std::vector<KeyValues> source_;     // per layer
  std::vector<KeyValueCache> cache_;  // per layer
  Hypotheses hypotheses_;
  int64_t longest_source_;
  size_t attention_layer_;  // counted from 0
  int64_t length_ = 0;
  Tensor attention_;
};

}  // namespace heed
