// The Transformers of tests/golden/transformer.py: their settings, weights and sentences.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden_batch.h"
#include "heed/models/transformer.h"

namespace heed::testing {

struct GoldenTransformer {
  std::string name;
  TransformerConfig config;

  TensorFile open() const { return open_golden("transformer/" + name); }

  Transformer model(const TensorFile& file, Type type) const {
    Rng rng(1);
    Transformer model(config, rng);
    model.visit_parameters("parameter", [&](const std::string& parameter, Tensor& value) {
      const Tensor read = file.read(parameter, type);
      EXPECT_EQ(read.shape(), value.shape()) << parameter;
      value = read;
    });
    return model;
  }
};

inline std::vector<GoldenTransformer> golden_transformers() {
  const TransformerConfig small{.source_vocabulary = 11,
                                .target_vocabulary = 11,
                                .encoder_layers = 1,
                                .decoder_layers = 1,
                                .width = 8,
                                .ffn = 12,
                                .heads = 2,
                                .context_length = 7,
                                .max_distance = 2,
                                .dropout = 0,
                                .embedding_dropout = 0};
  std::vector<GoldenTransformer> cases;
  const auto add = [&](const std::string& name) -> TransformerConfig& {
    return cases.emplace_back(GoldenTransformer{name, small}).config;
  };
  TransformerConfig& after = add("post_norm_relu");
  after.encoder_layers = after.decoder_layers = 2;

  TransformerConfig& learned = add("pre_norm_gelu_learned");
  learned.source_vocabulary = 9;
  learned.encoder_layers = 2;
  learned.norm = NormPlacement::pre;
  learned.activation = Activation::gelu;
  learned.positions = PositionKind::learned;
  learned.tied = TiedEmbeddings::decoder;

  TransformerConfig& rotary = add("gated_rotary_grouped");
  rotary.norm = NormPlacement::pre;
  rotary.activation = Activation::swish;
  rotary.gated = true;
  rotary.heads = 4;
  rotary.kv_heads = 2;
  rotary.positions = PositionKind::rotary;
  rotary.tied = TiedEmbeddings::none;

  TransformerConfig& alibi = add("alibi_one_kv_head");
  alibi.width = 12;
  alibi.heads = 3;
  alibi.kv_heads = 1;
  alibi.activation = Activation::gelu;
  alibi.gated = true;
  alibi.positions = PositionKind::alibi;

  TransformerConfig& relative = add("relative");
  relative.decoder_layers = 2;
  relative.activation = Activation::swish;
  relative.positions = PositionKind::relative;
  relative.tied = TiedEmbeddings::decoder;

  TransformerConfig& everywhere = add("sinusoids_everywhere");
  everywhere.encoder_layers = everywhere.decoder_layers = 2;
  everywhere.norm = NormPlacement::pre;
  everywhere.placement = PositionPlacement::every_layer;
  everywhere.tied = TiedEmbeddings::none;

  TransformerConfig& none = add("without_positions");
  none.activation = Activation::tanh;
  none.positions = PositionKind::none;

  TransformerConfig& ssru = add("ssru_decoder");
  ssru.decoder_layers = 2;
  ssru.decoder = Autoregression::ssru;
  ssru.sinusoids = SinusoidSpacing::tensor2tensor;
  ssru.norm_epsilon = 1e-2;
  ssru.decoder_ffn = 10;

  TransformerConfig& pre_norm_ssru = add("pre_norm_ssru_decoder");
  pre_norm_ssru.norm = NormPlacement::pre;
  pre_norm_ssru.decoder = Autoregression::ssru;
  pre_norm_ssru.tied = TiedEmbeddings::none;
  return cases;
}

}  // namespace heed::testing
