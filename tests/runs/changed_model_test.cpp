#include "heed/runs/changed_model.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/models/model_config.h"

namespace heed {
namespace {

TEST(ChangedModel, WeightsFitOnlyModelsOfTheirKindAndSizes) {
  const auto complaint = [](const ModelConfig& before, const ModelConfig& now) {
    return testing::error_of([&] {
      require_same_shapes("en-de", *make_model(before, Initialiser::unset()),
                          *make_model(now, Initialiser::unset()));
    });
  };
  const LanguageModelConfig small{.vocabulary = 9, .layers = 1, .width = 8, .ffn = 8, .heads = 2};
  LanguageModelConfig dropped = small, wider = small;
  dropped.dropout = 0.5;
  wider.width = 16;
  const TransformerConfig other{.source_vocabulary = 9,
                                .target_vocabulary = 9,
                                .encoder_layers = 1,
                                .decoder_layers = 1,
                                .width = 8,
                                .ffn = 8,
                                .heads = 2};
  constexpr const char* refusal =
      "en-de: the run's weights do not fit the new model settings; a new run needs an empty folder";
  EXPECT_EQ(complaint(small, dropped), "(nothing was thrown)");
  EXPECT_EQ(complaint(small, wider), refusal);
  EXPECT_EQ(complaint(small, other), refusal);
}

}  // namespace
}  // namespace heed
