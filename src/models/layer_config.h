// The settings of one layer, whichever model it belongs to.
#pragma once

#include <cstdint>
#include <string_view>

#include "heed/attention/positions.h"
#include "heed/autograd/linear.h"
#include "heed/layers/norm.h"

namespace heed {

enum class NormPlacement { post, pre };  // of a block's residual sum; "post-norm" and "pre-norm"

// How a decoder's token sees those before it.
enum class Autoregression { self_attention, ssru };

struct LayerConfig {
  int64_t width = 512;
  int64_t ffn = 2048;
  int64_t heads = 8;
  // Heads of keys and values, shared by groups of heads; 0: as many as `heads`.
  int64_t kv_heads = 0;
  Activation activation = Activation::relu;
  bool gated = false;  // the feed-forward network
  bool bias = true;    // of projections and feed-forward networks
  NormPlacement norm = NormPlacement::post;
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = 1e-5;
  PositionKind positions = PositionKind::none;
  double rotary_base = 10000.0;
  int64_t max_distance = 128;  // the largest distance that relative positions distinguish
  Autoregression autoregression = Autoregression::self_attention;  // of a decoder's layer
  double dropout = 0.0;                                            // of the output of each block
  double activation_dropout = 0.0;  // inside the feed-forward network
  double attention_dropout = 0.0;   // of the weights

  Norm make_norm() const { return Norm(width, norm_kind, norm_epsilon); }
};

// Refuses settings that no layer can have, naming the setting; `model` is the name for errors.
void check(const LayerConfig& config, std::string_view model);
void check_dropout(double rate, std::string_view model);

// Multiplications by learned weights for each token, forward.
struct LayerMultiplications {
  int64_t keys_and_values = 0;     // of one attention
  int64_t queries_and_output = 0;  // of one attention
  int64_t feed_forward = 0;
};
LayerMultiplications multiplications(const LayerConfig& config);

}  // namespace heed
