// The settings of a Transformer.
#pragma once

#include <cstdint>

#include "heed/models/layer_config.h"
#include "heed/models/tied_embeddings.h"

namespace heed {

// What the decoder reads before the first word.
enum class DecoderStart {
  learned,  // a vector of its own
  zeros,    // with nothing to learn, as in Marian
};

struct TransformerConfig {
  int64_t source_vocabulary = 0;
  int64_t target_vocabulary = 0;
  int64_t encoder_layers = 6;
  int64_t decoder_layers = 6;
  int64_t width = 512;
  int64_t ffn = 2048;
  int64_t decoder_ffn = 0;  // of the decoder's layers; 0: as in the encoder
  int64_t heads = 8;
  // Heads of keys and values, shared by groups of heads; 0: as many as `heads`.
  int64_t kv_heads = 0;
  Activation activation = Activation::relu;
  bool gated = false;  // the feed-forward network
  NormPlacement norm = NormPlacement::post;
  double norm_epsilon = 1e-5;  // what norms add to the mean of the squares
  PositionKind positions = PositionKind::sinusoidal;
  PositionPlacement placement = PositionPlacement::input;
  SinusoidSpacing sinusoids = SinusoidSpacing::paper;
  int64_t context_length = 512;  // of learned positions, in tokens
  int64_t max_distance = 128;    // the largest distance that relative positions distinguish
  TiedEmbeddings tied = TiedEmbeddings::all;
  Autoregression decoder = Autoregression::self_attention;
  DecoderStart decoder_start = DecoderStart::learned;
  bool source_end = true;  // the encoder reads the end-of-sentence token
  double dropout = 0.1;    // of the output of each block
  double embedding_dropout = 0.1;
  double activation_dropout = 0.0;  // inside the feed-forward network
  double attention_dropout = 0.0;   // of the weights

  bool operator==(const TransformerConfig&) const = default;
};

// Of the encoder's layers, and of the decoder's.
LayerConfig layer_config(const TransformerConfig& config);
LayerConfig decoder_layer_config(const TransformerConfig& config);

// Refuses settings that no model can have, naming the setting.
void check(const TransformerConfig& config);

}  // namespace heed
