// The settings of the models, each with its name: what is stored in a model folder and what the
// command line takes is written down once, here.
#pragma once

#include <optional>
#include <string_view>

#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

template <typename Value>
struct NamedValue {
  Value value;
  const char* name;
};

// The names of an enumeration's values.
template <typename Enum>
struct EnumNames;

template <>
struct EnumNames<NormPlacement> {
  static constexpr NamedValue<NormPlacement> values[] = {{NormPlacement::post, "post"},
                                                         {NormPlacement::pre, "pre"}};
};

template <>
struct EnumNames<TiedEmbeddings> {
  static constexpr NamedValue<TiedEmbeddings> values[] = {{TiedEmbeddings::all, "all"},
                                                          {TiedEmbeddings::decoder, "decoder"},
                                                          {TiedEmbeddings::none, "none"}};
};

template <>
struct EnumNames<Activation> {
  static constexpr NamedValue<Activation> values[] = {
      {Activation::relu, "relu"},       {Activation::gelu, "gelu"},
      {Activation::swish, "swish"},     {Activation::tanh, "tanh"},
      {Activation::sigmoid, "sigmoid"}, {Activation::identity, "identity"}};
};

template <>
struct EnumNames<PositionKind> {
  static constexpr NamedValue<PositionKind> values[] = {
      {PositionKind::sinusoidal, "sinusoidal"}, {PositionKind::learned, "learned"},
      {PositionKind::rotary, "rotary"},         {PositionKind::alibi, "alibi"},
      {PositionKind::relative, "relative"},     {PositionKind::none, "none"}};
};

template <>
struct EnumNames<PositionPlacement> {
  static constexpr NamedValue<PositionPlacement> values[] = {
      {PositionPlacement::input, "input"}, {PositionPlacement::every_layer, "every-layer"}};
};

template <>
struct EnumNames<RecurrentKind> {
  static constexpr NamedValue<RecurrentKind> values[] = {{RecurrentKind::gru, "gru"},
                                                         {RecurrentKind::lstm, "lstm"}};
};

template <>
struct EnumNames<std::optional<ScoreKind>> {
  static constexpr NamedValue<std::optional<ScoreKind>> values[] = {
      {std::optional(ScoreKind::additive), "additive"},
      {std::optional(ScoreKind::dot), "dot"},
      {std::optional(ScoreKind::scaled_dot), "scaled-dot"},
      {std::optional(ScoreKind::bilinear), "bilinear"},
      {std::optional<ScoreKind>(), "none"}};
};

// Calls visit(name, field, what it is) for every setting but the vocabularies' sizes, which follow
// from the vocabularies.
template <typename Visit>
void visit_fields(TransformerConfig& c, Visit&& visit) {
  visit("encoder-layers", c.encoder_layers, "layers of the encoder");
  visit("decoder-layers", c.decoder_layers, "layers of the decoder");
  visit("width", c.width, "numbers per token between the layers");
  visit("ffn", c.ffn, "numbers per token inside of the feed-forward networks");
  visit("heads", c.heads, "attention heads");
  visit("kv-heads", c.kv_heads,
        "heads of keys and values, shared by groups of heads (0: as many as heads)");
  visit("activation", c.activation, "of the feed-forward networks");
  visit("gated", c.gated, "gated feed-forward networks");
  visit("norm", c.norm, "the norm stands after or before each block");
  visit("positions", c.positions, "how tokens know their place");
  visit("position-placement", c.placement, "where sinusoidal and learned positions are added");
  visit("context-length", c.context_length, "tokens that learned positions reach");
  visit("max-distance", c.max_distance, "largest distance that relative positions tell apart");
  visit("tied-embeddings", c.tied, "which tables are one: all, decoder (target and output), none");
  visit("source-end", c.source_end, "the encoder reads the token that ends a source sentence");
  visit("dropout", c.dropout, "of what each block adds");
  visit("embedding-dropout", c.embedding_dropout, "of the embedded tokens");
  visit("activation-dropout", c.activation_dropout, "inside of the feed-forward networks");
  visit("attention-dropout", c.attention_dropout, "of the attention weights");
}

template <typename Visit>
void visit_fields(RnnConfig& c, Visit&& visit) {
  visit("embedding", c.embedding, "numbers per embedded token");
  visit("hidden", c.hidden, "numbers in the decoder's state");
  visit("encoder-hidden", c.encoder_hidden,
        "numbers in the encoder's state, per direction (0: chosen)");
  visit("layers", c.layers, "layers of encoder and decoder");
  visit("cell", c.cell, "gru or lstm");
  visit("bidirectional", c.bidirectional, "the encoder reads in both directions");
  visit("attention", c.attention, "the score of the attention, or none");
  visit("tied-embeddings", c.tied, "which tables are one: all, decoder (target and output), none");
  visit("dropout", c.dropout,
        "of the encoder's outputs, between layers, and before the output layer");
  visit("embedding-dropout", c.embedding_dropout, "of the embedded tokens");
}

}  // namespace heed
