// One layer of an encoder or a decoder: blocks of attention and feed-forward, each with its
// residual sum and norm.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "heed/attention/multi_head.h"
#include "heed/layers/feed_forward.h"
#include "heed/layers/norm.h"
#include "heed/models/layer_config.h"
#include "heed/models/ssru_layer.h"

namespace heed {

// Gives the attention of a layer, counted from 0, those of the gates that are for its heads.
void put_gates(MultiHeadAttention& attention, AttentionPart part, size_t layer,
               std::span<const HeadGate> gates, const HeadCounts& counts);

// Post-norm: norm(x + dropout(f(x))). Pre-norm: x + dropout(f(norm(x))).
class ResidualBlock {
 public:
  ResidualBlock(const LayerConfig& config)
      : norm_(config.make_norm()), placement_(config.norm), dropout_(config.dropout) {}

  template <typename F>
  Variable operator()(const Variable& x, F&& f) const {
    if (placement_ == NormPlacement::post) return norm_(add_dropped(x, f(x), dropout_));
    return add_dropped(x, f(norm_(x)), dropout_);
  }
  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
    norm_.visit_parameters(prefix, visit);
  }

 private:
  Norm norm_;
  NormPlacement placement_;
  double dropout_;
};

// Self-attention and a feed-forward network: a layer of an encoder, where each token sees all
// others, or of a decoder without an encoder, where it sees those before it.
class SelfAttentionLayer {
 public:
  SelfAttentionLayer(const LayerConfig& config, Initialiser init);

  // x (tokens, width) -> the same shape.
  Variable operator()(const Variable& x, const Ragged& layout, RecordedAttention* record = nullptr,
                      const Mask& mask = {}) const;

  // x (tokens, width): the new tokens that the cache has grown by. Each sees those before it, as
  // with a causal mask.
  Variable step(const Variable& x, KeyValueCache& cache, int64_t layer,
                RecordedAttention* record = nullptr) const;
  CacheSizes cache_sizes(int64_t layers) const { return self_.cache_sizes(layers); }

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  void visit_linears(std::string_view prefix, const LinearVisitor& visit);
  SelfAttentionLayer prepared(Preparation how) const;  // see Linear
  MultiHeadAttention& self() { return self_; }

 private:
  MultiHeadAttention self_;
  FeedForward feed_forward_;
  ResidualBlock self_block_, feed_forward_block_;
};

using EncoderLayer = SelfAttentionLayer;

// Where a decoder layer's attentions report to, if somebody looks.
struct DecoderRecord {
  RecordedAttention* self = nullptr;
  RecordedAttention* cross = nullptr;
  GuidedAttention* guided = nullptr;  // a head of the cross-attention, if it learns links
};

class DecoderLayer {
 public:
  DecoderLayer(const LayerConfig& config, Initialiser init);

  // The keys and values of the encoder's result, for any number of steps.
  KeyValues project_source(const Variable& encoded, const Ragged& layout) const;

  // x (tokens, width): all target tokens at once.
  Variable operator()(const Variable& x, const Ragged& layout, const KeyValues& source,
                      const DecoderRecord& record = {}) const;

  // x (tokens, width): the new tokens that the cache has grown by. `sources` are the encoder's
  // results in parts, each with how many of the tokens each of its sentences has.
  Variable step(const Variable& x, KeyValueCache& cache, int64_t layer,
                std::span<const AskedMemory> sources, RecordedAttention* record = nullptr) const;
  CacheSizes cache_sizes(int64_t layers) const {
    return std::visit([&](const auto& past) { return past.cache_sizes(layers); }, past_);
  }

  void visit_parameters(std::string_view prefix, const ParameterVisitor& visit);
  void visit_linears(std::string_view prefix, const LinearVisitor& visit);
  DecoderLayer prepared(Preparation how) const;  // see Linear
  // Null where a recurrent unit stands for it.
  MultiHeadAttention* self() { return std::get_if<MultiHeadAttention>(&past_); }
  MultiHeadAttention& cross() { return cross_; }

 private:
  using Past = std::variant<MultiHeadAttention, SsruLayer>;

  static Past make_past(const LayerConfig& config, Initialiser init);

  Past past_;
  MultiHeadAttention cross_;
  FeedForward feed_forward_;
  ResidualBlock past_block_, cross_block_, feed_forward_block_;
};

}  // namespace heed
