// The settings of the models, each with its name. The JSON of model folders and the flags of the
// command line both come from this list.
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

// Calls visit(name, field, description) for every setting except the vocabulary sizes, which follow
// from the vocabularies.
template <typename Visit>
void visit_fields(TransformerConfig& c, Visit&& visit) {
  visit("encoder-layers", c.encoder_layers, "Encoder layers");
  visit("decoder-layers", c.decoder_layers, "Decoder layers");
  visit("width", c.width, "Width of the model (d_model)");
  visit("ffn", c.ffn, "Hidden size of the feed-forward networks");
  visit("heads", c.heads, "Attention heads");
  visit("kv-heads", c.kv_heads, "Heads of keys and values (0: as many as --heads)");
  visit("activation", c.activation, "Activation of the feed-forward networks");
  visit("gated", c.gated, "Gated feed-forward networks");
  visit("norm", c.norm, "Post-norm or pre-norm");
  visit("positions", c.positions, "Kind of positions");
  visit("position-placement", c.placement, "Where sinusoidal and learned positions are added");
  visit("context-length", c.context_length,
        "Longest sequence that learned positions cover, in tokens");
  visit("max-distance", c.max_distance, "Largest distance that relative positions distinguish");
  visit("tied-embeddings", c.tied, "Share embeddings: all, decoder (target and output), none");
  visit("source-end", c.source_end, "The encoder reads the end-of-sentence token");
  visit("dropout", c.dropout, "Dropout of each block's output");
  visit("embedding-dropout", c.embedding_dropout, "Dropout of the embeddings");
  visit("activation-dropout", c.activation_dropout, "Dropout inside the feed-forward networks");
  visit("attention-dropout", c.attention_dropout, "Dropout of the attention weights");
}

template <typename Visit>
void visit_fields(RnnConfig& c, Visit&& visit) {
  visit("embedding", c.embedding, "Width of the embeddings");
  visit("hidden", c.hidden, "Width of the decoder's state");
  visit("encoder-hidden", c.encoder_hidden,
        "Width of the encoder's state, per direction (0: chosen)");
  visit("layers", c.layers, "Layers of encoder and decoder");
  visit("cell", c.cell, "Recurrent cell");
  visit("bidirectional", c.bidirectional, "The encoder reads in both directions");
  visit("attention", c.attention, "Attention score, or none");
  visit("tied-embeddings", c.tied, "Share embeddings: all, decoder (target and output), none");
  visit("dropout", c.dropout,
        "Dropout of the encoder's outputs, between layers, and before the output layer");
  visit("embedding-dropout", c.embedding_dropout, "Dropout of the embeddings");
}

}  // namespace heed
