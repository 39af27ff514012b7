// The settings of a language model: a decoder alone.
#pragma once

#include <cstdint>

#include "heed/models/layer_config.h"

namespace heed {

// By default in the shape of the Llama family.
struct LanguageModelConfig {
  int64_t vocabulary = 0;
  int64_t layers = 6;
  int64_t width = 384;
  int64_t ffn = 1024;
  int64_t heads = 6;
  // Heads of keys and values, shared by groups of heads; 0: as many as `heads`.
  int64_t kv_heads = 0;
  Activation activation = Activation::swish;
  bool gated = true;  // the feed-forward network
  bool bias = false;  // of projections and feed-forward networks
  NormPlacement norm = NormPlacement::pre;
  NormKind norm_kind = NormKind::rms;
  double norm_epsilon = 1e-5;
  PositionKind positions = PositionKind::rotary;
  double rotary_base = 10000.0;
  int64_t context_length = 256;  // the most tokens that are read, the start token included
  int64_t max_distance = 128;    // the largest distance that relative positions distinguish
  bool tied = true;              // the output layer is the table of the embeddings
  bool scaled = false;           // embeddings are multiplied by sqrt(width)
  double dropout = 0.1;          // of the output of each block
  double embedding_dropout = 0.1;
  double activation_dropout = 0.0;  // inside the feed-forward network
  double attention_dropout = 0.0;   // of the weights

  bool operator==(const LanguageModelConfig&) const = default;
};

LayerConfig layer_config(const LanguageModelConfig& config);

// Refuses settings that no model can have, naming the setting.
void check(const LanguageModelConfig& config);

}  // namespace heed
