// The language models of tests/golden/language_model.py: their settings, weights and texts.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "golden_batch.h"
#include "heed/models/language_model.h"

namespace heed::testing {

struct GoldenLanguageModel {
  std::string name;
  LanguageModelConfig config;

  TensorFile open() const { return open_golden("language_model/" + name); }

  LanguageModel model(const TensorFile& file, Type type) const {
    LanguageModel model(config, Initialiser::unset());
    model.visit_parameters("parameter", [&](const std::string& parameter, Tensor& value) {
      const Tensor read = file.read(parameter, type);
      EXPECT_EQ(read.shape(), value.shape()) << parameter;
      value = read;
    });
    return model;
  }
};

inline Batch golden_texts(const TensorFile& file) {
  Batch batch = {{}, golden_tokens(file, "target"), {}};
  for (const int64_t id : file.read_integers("before"))
    batch.before.push_back(static_cast<int32_t>(id));
  return batch;
}

inline std::vector<GoldenLanguageModel> golden_language_models() {
  const LanguageModelConfig small{.vocabulary = 11,
                                  .layers = 2,
                                  .width = 8,
                                  .ffn = 12,
                                  .heads = 2,
                                  .context_length = 7,
                                  .dropout = 0,
                                  .embedding_dropout = 0};
  LanguageModelConfig llama = small;
  llama.heads = 4;
  llama.kv_heads = 2;
  llama.tied = false;

  LanguageModelConfig gpt = small;
  gpt.norm_kind = NormKind::layer;
  gpt.bias = true;
  gpt.gated = false;
  gpt.activation = Activation::gelu;
  gpt.positions = PositionKind::learned;

  LanguageModelConfig post_norm = gpt;
  post_norm.layers = 1;
  post_norm.norm = NormPlacement::post;
  post_norm.activation = Activation::relu;
  post_norm.positions = PositionKind::sinusoidal;
  return {{"llama", llama}, {"gpt", gpt}, {"post_norm", post_norm}};
}

}  // namespace heed::testing
