#include "heed/models/int8_rounding.h"

#include <gtest/gtest.h>

#include "heed/models/model_config.h"
#include "heed/weights/int8_matrix.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::values_of;

TEST(Int8Rounding, ChangesMatricesOnly) {
  const ModelConfig config = TransformerConfig{.source_vocabulary = 20,
                                               .target_vocabulary = 20,
                                               .encoder_layers = 1,
                                               .decoder_layers = 1,
                                               .width = 32,
                                               .ffn = 64,
                                               .heads = 2};
  Rng rng(1), same(1);
  const std::unique_ptr<Model> rounded = make_model(config, rng), whole = make_model(config, same);
  round_to_int8(*rounded);
  const std::vector<Parameter> found = parameters_of(*rounded), before = parameters_of(*whole);
  ASSERT_EQ(found.size(), before.size());
  int matrices = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const bool is_matrix = is_worth_int8(before[i].value.shape());
    matrices += is_matrix;
    EXPECT_EQ(values_of(found[i].value) != values_of(before[i].value), is_matrix) << found[i].name;
  }
  EXPECT_GT(matrices, 10);
}

}  // namespace
}  // namespace heed
