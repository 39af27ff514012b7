// The settings of a BERT, each with its name (see config_fields.h).
#pragma once

#include <tuple>

#include "heed/models/bert_config.h"
#include "heed/models/config_fields.h"

namespace heed {

// The size of the vocabulary follows from the vocabulary.
template <>
struct Fields<BertConfig> {
  using Config = BertConfig;
  static constexpr auto list = std::tuple(
      no_setting(&Config::vocabulary),
      field("layers", &Config::layers, "Layers", field_bounds::layers),
      field("width", &Config::width, "Width of the model (d_model)", field_bounds::size),
      field("ffn", &Config::ffn, "Hidden size of the feed-forward networks", field_bounds::size),
      field("heads", &Config::heads, "Attention heads", field_bounds::size),
      field("context-length", &Config::context_length, "Longest text, in tokens",
            field_bounds::size),
      field("token-types", &Config::types, "Types of tokens", field_bounds::size),
      field("convolution", &Config::convolution,
            "Neighbours that a convolution reads before the layers (0: none)",
            {.least = 0, .most = 255}),
      field("activation", &Config::activation, "Activation of the feed-forward networks"),
      field("norm-epsilon", &Config::norm_epsilon, "What the norms add to the variance",
            {.above = 0, .below = 1}),
      field("dropout", &Config::dropout, "Dropout of the embeddings and of each block's output",
            field_bounds::rate),
      field("attention-dropout", &Config::attention_dropout, "Dropout of the attention weights",
            field_bounds::rate));
};

}  // namespace heed
