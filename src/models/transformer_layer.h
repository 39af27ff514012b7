// One layer of the encoder or the decoder: blocks of attention and feed-forward, each with its
// residual sum and norm.
#pragma once

#include <optional>
#include <string_view>

#include "heed/attention/multi_head.h"
#include "heed/layers/feed_forward.h"
#include "heed/layers/layer_norm.h"
#include "heed/models/transformer_config.h"

namespace heed {

// Post-norm: norm(x + dropout(f(x))). Pre-norm: x + dropout(f(norm(x))).
class ResidualBlock {
 public:
  ResidualBlock(const TransformerConfig& config)
      : norm_(config.width), placement_(config.norm), dropout_(config.dropout) {}

  template <typename F>
  Variable operator()(const Variable& x, F&& f) const {
    if (placement_ == NormPlacement::post) return norm_(add_dropped(x, f(x), dropout_));
    return add_dropped(x, f(norm_(x)), dropout_);
  }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
    norm_.visit_parameters(prefix, visit);
  }

 private:
  LayerNorm norm_;
  NormPlacement placement_;
  double dropout_;
};

class EncoderLayer {
 public:
  EncoderLayer(const TransformerConfig& config, Initialiser init);

  // x (tokens, width) -> the same shape.
  Variable operator()(const Variable& x, const Ragged& layout,
                      RecordedAttention* record = nullptr) const;
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  EncoderLayer prepared(Precision precision) const;  // see Linear
  MultiHeadAttention& self() { return self_; }

 private:
  MultiHeadAttention self_;
  FeedForward feed_forward_;
  ResidualBlock self_block_, feed_forward_block_;
};

// Where a decoder layer's attentions are recorded, if somebody looks.
struct DecoderRecord {
  RecordedAttention* self = nullptr;
  RecordedAttention* cross = nullptr;
};

class DecoderLayer {
 public:
  DecoderLayer(const TransformerConfig& config, Initialiser init);

  // The keys and values of the encoder's result, for any number of steps.
  KeyValues project_source(const Variable& encoded, const Ragged& layout) const;

  // x (tokens, width): all target tokens at once.
  Variable operator()(const Variable& x, const Ragged& layout, const KeyValues& source,
                      const DecoderRecord& record = {}) const;

  // x (tokens, width): the new tokens that the cache has grown by. `sources` are the encoder's
  // results in parts, each with how many of the tokens each of its sentences has.
  Variable step(const Variable& x, KeyValueCache& cache, int64_t layer,
                std::span<const AskedMemory> sources, RecordedAttention* record = nullptr) const;
  CacheSizes cache_sizes(int64_t layers) const { return self_.cache_sizes(layers); }

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  DecoderLayer prepared(Precision precision) const;  // see Linear
  MultiHeadAttention& self() { return self_; }
  MultiHeadAttention& cross() { return cross_; }

 private:
  MultiHeadAttention self_, cross_;
  FeedForward feed_forward_;
  ResidualBlock self_block_, cross_block_, feed_forward_block_;
};

}  // namespace heed
