// The settings of the models, each with its name. The JSON of model folders and the flags of the
// command line both come from this list.
#pragma once

#include <optional>
#include <tuple>

#include "heed/base/enum_names.h"
#include "heed/base/fields.h"
#include "heed/models/language_model_config.h"
#include "heed/models/rnn_config.h"
#include "heed/models/transformer_config.h"

namespace heed {

template <>
struct EnumNames<NormPlacement> {
  static constexpr NamedValue<NormPlacement> values[] = {{NormPlacement::post, "post"},
                                                         {NormPlacement::pre, "pre"}};
};

template <>
struct EnumNames<NormKind> {
  static constexpr NamedValue<NormKind> values[] = {{NormKind::layer, "layer"},
                                                    {NormKind::rms, "rms"}};
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
struct EnumNames<SinusoidSpacing> {
  static constexpr NamedValue<SinusoidSpacing> values[] = {
      {SinusoidSpacing::paper, "paper"}, {SinusoidSpacing::tensor2tensor, "tensor2tensor"}};
};

template <>
struct EnumNames<Autoregression> {
  static constexpr NamedValue<Autoregression> values[] = {
      {Autoregression::self_attention, "self-attention"}, {Autoregression::ssru, "ssru"}};
};

template <>
struct EnumNames<DecoderStart> {
  static constexpr NamedValue<DecoderStart> values[] = {{DecoderStart::learned, "learned"},
                                                        {DecoderStart::zeros, "zeros"}};
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

namespace field_bounds {

inline constexpr FieldOptions size = {.least = 1, .most = 1 << 16};
inline constexpr FieldOptions size_or_none = {.least = 0, .most = 1 << 16};
inline constexpr FieldOptions layers = {.least = 1, .most = 1000};
inline constexpr FieldOptions distance = {.least = 0, .most = 0x1p40};
inline constexpr FieldOptions rate = {.least = 0, .below = 1};
inline constexpr FieldOptions added_later = {.added_later = true};

}  // namespace field_bounds

// The sizes of the vocabularies follow from the vocabularies.
template <>
struct Fields<TransformerConfig> {
  using Config = TransformerConfig;
  static constexpr auto list = std::tuple(
      no_setting(&Config::source_vocabulary), no_setting(&Config::target_vocabulary),
      field("encoder-layers", &Config::encoder_layers, "Encoder layers", field_bounds::layers),
      field("decoder-layers", &Config::decoder_layers, "Decoder layers", field_bounds::layers),
      field("width", &Config::width, "Width of the model (d_model)", field_bounds::size),
      field("ffn", &Config::ffn, "Hidden size of the feed-forward networks", field_bounds::size),
      field("decoder-ffn", &Config::decoder_ffn, "The same in the decoder (0: as in the encoder)",
            {.least = 0, .most = 1 << 16, .added_later = true}),
      field("heads", &Config::heads, "Attention heads", field_bounds::size),
      field("kv-heads", &Config::kv_heads, "Heads of keys and values (0: as many as --heads)",
            field_bounds::size_or_none),
      field("activation", &Config::activation, "Activation of the feed-forward networks"),
      field("gated", &Config::gated, "Gated feed-forward networks"),
      field("norm", &Config::norm, "Post-norm or pre-norm"),
      field("norm-epsilon", &Config::norm_epsilon, "What norms add to the mean of the squares",
            {.above = 0, .below = 1, .added_later = true}),
      field("positions", &Config::positions, "Kind of positions"),
      field("position-placement", &Config::placement,
            "Where sinusoidal and learned positions are added"),
      field("sinusoids", &Config::sinusoids,
            "Sinusoidal positions: as in the paper, or as in Marian", field_bounds::added_later),
      field("context-length", &Config::context_length,
            "Most tokens that a language model reads, or learned positions cover",
            field_bounds::size),
      field("max-distance", &Config::max_distance,
            "Largest distance that relative positions distinguish", field_bounds::distance),
      field("tied-embeddings", &Config::tied,
            "Share embeddings: all, decoder (target and output), none"),
      field("decoder-past", &Config::decoder,
            "How a target token sees those before it; ssru: recurrently",
            field_bounds::added_later),
      field("decoder-start", &Config::decoder_start,
            "What the decoder reads first: a learned vector, or zeros as in Marian",
            field_bounds::added_later),
      field("source-end", &Config::source_end, "The encoder reads the end-of-sentence token"),
      field("dropout", &Config::dropout, "Dropout of each block's output", field_bounds::rate),
      field("embedding-dropout", &Config::embedding_dropout, "Dropout of the embeddings",
            field_bounds::rate),
      field("activation-dropout", &Config::activation_dropout,
            "Dropout inside the feed-forward networks", field_bounds::rate),
      field("attention-dropout", &Config::attention_dropout, "Dropout of the attention weights",
            field_bounds::rate));
};

template <>
struct Fields<LanguageModelConfig> {
  using Config = LanguageModelConfig;
  static constexpr auto list = std::tuple(
      no_setting(&Config::vocabulary),
      field("layers", &Config::layers, "Layers", field_bounds::layers),
      field("width", &Config::width, "Width of the model (d_model)", field_bounds::size),
      field("ffn", &Config::ffn, "Hidden size of the feed-forward networks", field_bounds::size),
      field("heads", &Config::heads, "Attention heads", field_bounds::size),
      field("kv-heads", &Config::kv_heads, "Heads of keys and values (0: as many as --heads)",
            field_bounds::size_or_none),
      field("activation", &Config::activation, "Activation of the feed-forward networks"),
      field("gated", &Config::gated, "Gated feed-forward networks"),
      field("bias", &Config::bias, "Projections and feed-forward networks have biases"),
      field("norm", &Config::norm, "Post-norm or pre-norm"),
      field("norm-kind", &Config::norm_kind, "Layer norm, or RMS norm (root mean square)"),
      field("norm-epsilon", &Config::norm_epsilon, "What norms add to the mean of the squares",
            {.above = 0, .below = 1}),
      field("positions", &Config::positions, "Kind of positions"),
      field("rotary-base", &Config::rotary_base, "Base of rotary positions", {.above = 0}),
      field("context-length", &Config::context_length, "Most tokens that the model reads",
            field_bounds::size),
      field("max-distance", &Config::max_distance,
            "Largest distance that relative positions distinguish", field_bounds::distance),
      field("tied-output", &Config::tied, "The output layer is the table of embeddings"),
      field("scaled-embeddings", &Config::scaled, "Multiply embeddings by sqrt(width)"),
      field("dropout", &Config::dropout, "Dropout of each block's output", field_bounds::rate),
      field("embedding-dropout", &Config::embedding_dropout, "Dropout of the embeddings",
            field_bounds::rate),
      field("activation-dropout", &Config::activation_dropout,
            "Dropout inside the feed-forward networks", field_bounds::rate),
      field("attention-dropout", &Config::attention_dropout, "Dropout of the attention weights",
            field_bounds::rate));
};

template <>
struct Fields<RnnConfig> {
  using Config = RnnConfig;
  static constexpr auto list = std::tuple(
      no_setting(&Config::source_vocabulary), no_setting(&Config::target_vocabulary),
      field("embedding", &Config::embedding, "Width of the embeddings", field_bounds::size),
      field("hidden", &Config::hidden, "Width of the decoder's state", field_bounds::size),
      field("encoder-hidden", &Config::encoder_hidden,
            "Width of the encoder's state, per direction (0: chosen)", field_bounds::size_or_none),
      field("layers", &Config::layers, "Layers of encoder and decoder", field_bounds::layers),
      field("cell", &Config::cell, "Recurrent cell"),
      field("bidirectional", &Config::bidirectional, "The encoder reads in both directions"),
      field("attention", &Config::attention, "Attention score, or none"),
      field("tied-embeddings", &Config::tied,
            "Share embeddings: all, decoder (target and output), none"),
      field("dropout", &Config::dropout,
            "Dropout of the encoder's outputs, between layers, and before the output layer",
            field_bounds::rate),
      field("embedding-dropout", &Config::embedding_dropout, "Dropout of the embeddings",
            field_bounds::rate));
};

}  // namespace heed
