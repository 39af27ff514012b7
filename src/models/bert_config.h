// The settings of an encoder-only model in the shape of BERT.
#pragma once

#include <cstdint>

#include "heed/models/layer_config.h"

namespace heed {

struct BertConfig {
  int64_t vocabulary = 0;
  int64_t layers = 12;
  int64_t width = 768;
  int64_t ffn = 3072;
  int64_t heads = 12;
  int64_t context_length = 512;
  int64_t types = 2;  // of tokens, such as those of a first and of a second text
  // Tokens that a convolution before the layers reads, an odd number; 0: there is none, as in BERT.
  int64_t convolution = 0;
  Activation activation = Activation::gelu;
  double norm_epsilon = 1e-12;
  double dropout = 0.1;  // of the embeddings and of the output of each block
  double attention_dropout = 0.1;

  bool operator==(const BertConfig&) const = default;
};

// Of each layer, and of the convolution's block: post-norm, with biases; positions are added before
// the first.
LayerConfig layer_config(const BertConfig& config);

// Refuses settings that no model can have, naming the setting.
void check(const BertConfig& config);

// A lower bound on the number of weights (see model_config.h).
double fewest_weights(const BertConfig& config);

}  // namespace heed
