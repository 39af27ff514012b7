#include "heed/models/transformer_layer.h"

namespace heed {

namespace {

MultiHeadConfig attention_config(const LayerConfig& config, PositionKind positions) {
  return {.width = config.width,
          .heads = config.heads,
          .kv_heads = config.kv_heads,
          .bias = config.bias,
          .dropout = config.attention_dropout,
          .positions = positions,
          .rotary_base = config.rotary_base,
          .max_distance = config.max_distance};
}

FeedForwardConfig feed_forward_config(const LayerConfig& config) {
  return {.width = config.width,
          .hidden = config.ffn,
          .activation = config.activation,
          .gated = config.gated,
          .bias = config.bias,
          .dropout = config.activation_dropout};
}

}  // namespace

void put_gates(MultiHeadAttention& attention, AttentionPart part, size_t layer,
               std::span<const HeadGate> gates, const HeadCounts& counts) {
  attention = attention.gated(
      gates_of_layer(part, static_cast<int64_t>(layer) + 1, gates, counts, attention.gates()));
}

SelfAttentionLayer::SelfAttentionLayer(const LayerConfig& config, Initialiser init)
    : self_(attention_config(config, config.positions), init),
      feed_forward_(feed_forward_config(config), init),
      self_block_(config),
      feed_forward_block_(config) {}

Variable SelfAttentionLayer::operator()(const Variable& x, const Ragged& layout,
                                        RecordedAttention* record, const Mask& mask) const {
  const Variable attended = self_block_(x, [&](const Variable& tokens) {
    return self_({.queries = tokens, .query_layout = layout, .mask = mask, .record = record})
        .output;
  });
  return feed_forward_block_(attended, feed_forward_);
}

Variable SelfAttentionLayer::step(const Variable& x, KeyValueCache& cache, int64_t layer,
                                  RecordedAttention* record) const {
  const Variable attended = self_block_(
      x, [&](const Variable& tokens) { return self_.step(tokens, cache, layer, record); });
  return feed_forward_block_(attended, feed_forward_);
}

void SelfAttentionLayer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  self_.visit_parameters(dotted(prefix, "self_attn"), visit);
  self_block_.visit_parameters(dotted(prefix, "self_attn_layer_norm"), visit);
  feed_forward_.visit_parameters(prefix, visit);
  feed_forward_block_.visit_parameters(dotted(prefix, "final_layer_norm"), visit);
}

void SelfAttentionLayer::visit_linears(std::string_view prefix, const LinearVisitor& visit) {
  self_.visit_linears(dotted(prefix, "self_attn"), visit);
  feed_forward_.visit_linears(prefix, visit);
}

SelfAttentionLayer SelfAttentionLayer::prepared(Preparation how) const {
  SelfAttentionLayer copy = *this;
  copy.self_ = self_.prepared(how);
  copy.feed_forward_ = feed_forward_.prepared(how);
  return copy;
}

// Distances between source and target mean nothing, so only the decoder's self-attention knows
// positions.
DecoderLayer::DecoderLayer(const LayerConfig& config, Initialiser init)
    : past_(make_past(config, init)),
      cross_(attention_config(config, PositionKind::none), init),
      feed_forward_(feed_forward_config(config), init),
      past_block_(config),
      cross_block_(config),
      feed_forward_block_(config) {}

DecoderLayer::Past DecoderLayer::make_past(const LayerConfig& config, Initialiser init) {
  if (config.autoregression == Autoregression::ssru) return SsruLayer(config.width, init);
  return MultiHeadAttention(attention_config(config, config.positions), init);
}

KeyValues DecoderLayer::project_source(const Variable& encoded, const Ragged& layout) const {
  return cross_.project(encoded, encoded, layout);
}

Variable DecoderLayer::operator()(const Variable& x, const Ragged& layout, const KeyValues& source,
                                  const DecoderRecord& record) const {
  const Variable past = past_block_(x, [&](const Variable& tokens) {
    if (const auto* unit = std::get_if<SsruLayer>(&past_)) return (*unit)(tokens, layout);
    return std::get<MultiHeadAttention>(past_)({.queries = tokens,
                                                .query_layout = layout,
                                                .mask = {.causal = true},
                                                .record = record.self})
        .output;
  });
  const Variable cross = cross_block_(past, [&](const Variable& tokens) {
    return cross_.attend_to(source, tokens, layout, {}, false, record.cross, record.guided).output;
  });
  return feed_forward_block_(cross, feed_forward_);
}

Variable DecoderLayer::step(const Variable& x, KeyValueCache& cache, int64_t layer,
                            std::span<const AskedMemory> sources, RecordedAttention* record) const {
  const Variable past = past_block_(x, [&](const Variable& tokens) {
    if (const auto* unit = std::get_if<SsruLayer>(&past_)) return unit->step(tokens, cache, layer);
    return std::get<MultiHeadAttention>(past_).step(tokens, cache, layer, record);
  });
  const Variable cross = cross_block_(
      past, [&](const Variable& tokens) { return cross_.attend_to_each(sources, tokens); });
  return feed_forward_block_(cross, feed_forward_);
}

DecoderLayer DecoderLayer::prepared(Preparation how) const {
  DecoderLayer copy = *this;
  copy.past_ = std::visit([&](const auto& past) -> Past { return past.prepared(how); }, past_);
  copy.cross_ = cross_.prepared(how);
  copy.feed_forward_ = feed_forward_.prepared(how);
  return copy;
}

void DecoderLayer::visit_linears(std::string_view prefix, const LinearVisitor& visit) {
  const std::string name = dotted(prefix, self() == nullptr ? "ssru" : "self_attn");
  std::visit([&](auto& past) { past.visit_linears(name, visit); }, past_);
  cross_.visit_linears(dotted(prefix, "encoder_attn"), visit);
  feed_forward_.visit_linears(prefix, visit);
}

void DecoderLayer::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  const std::string name = dotted(prefix, self() == nullptr ? "ssru" : "self_attn");
  std::visit([&](auto& past) { past.visit_parameters(name, visit); }, past_);
  past_block_.visit_parameters(name + "_layer_norm", visit);
  cross_.visit_parameters(dotted(prefix, "encoder_attn"), visit);
  cross_block_.visit_parameters(dotted(prefix, "encoder_attn_layer_norm"), visit);
  feed_forward_.visit_parameters(prefix, visit);
  feed_forward_block_.visit_parameters(dotted(prefix, "final_layer_norm"), visit);
}

}  // namespace heed
