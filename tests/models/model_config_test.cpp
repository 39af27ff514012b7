#include "heed/models/model_config.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using heed::testing::error_of;

TEST(ModelConfig, KnowsItsKind) {
  ModelConfig config = RnnConfig{.source_vocabulary = 5, .target_vocabulary = 6};
  EXPECT_EQ(name_of(config), "rnn");
  EXPECT_EQ(name_of(ModelConfig(TransformerConfig())), "transformer");
  set_vocabularies(config, 7, 8);
  EXPECT_EQ(source_vocabulary(config), 7);
  EXPECT_EQ(target_vocabulary(config), 8);
  config = LanguageModelConfig();
  EXPECT_EQ(name_of(config), "language-model");
  set_vocabularies(config, 7, 8);
  EXPECT_EQ(source_vocabulary(config), 8);
  EXPECT_EQ(target_vocabulary(config), 8);
}

TEST(ModelConfig, MakesTheModelThatItDescribes) {
  Rng rng(1);
  for (const ModelConfig& config :
       {ModelConfig(TransformerConfig{.source_vocabulary = 9, .target_vocabulary = 9, .width = 16}),
        ModelConfig(RnnConfig{.source_vocabulary = 9, .target_vocabulary = 9, .hidden = 16}),
        ModelConfig(LanguageModelConfig{.vocabulary = 9, .width = 12})}) {
    const std::unique_ptr<Model> model = make_model(config, rng);
    EXPECT_EQ(model->output_layer().weight.shape()[0], 9);
  }
  EXPECT_EQ(error_of([&] { make_model(TransformerConfig(), rng); }),
            "transformer: vocabularies of 0 and 0 but at least 3 was expected");
}

}  // namespace
}  // namespace heed
