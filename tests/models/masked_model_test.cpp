#include "heed/models/masked_model.h"

#include <gtest/gtest.h>

#include "check_layer.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;
using testing::values_of;

constexpr BertConfig small = {.vocabulary = 11,
                              .layers = 1,
                              .width = 8,
                              .ffn = 12,
                              .heads = 2,
                              .context_length = 6,
                              .norm_epsilon = 1e-5,
                              .dropout = 0,
                              .attention_dropout = 0};

// "5 9" without its 9, and "7 8 9" without its 7 and its 9.
Batch two_texts() {
  const std::vector<std::vector<int32_t>> masked = {{2, 5, 4, 3}, {2, 4, 8, 4, 3}},
                                          missing = {{9}, {7, 9}};
  return {.source = join_sentences(masked), .target = join_sentences(missing), .places = {2, 5, 7}};
}

TEST(MaskedModel, HasTheNamesOfItsParametersFromHuggingFace) {
  Rng rng(1);
  MaskedModel model(small, rng);
  std::vector<std::string> head;
  for (const Parameter& parameter : parameters_of(model))
    if (!parameter.name.starts_with("bert.")) head.push_back(parameter.name);
  EXPECT_EQ(head,
            (std::vector<std::string>{
                "cls.predictions.transform.dense.weight", "cls.predictions.transform.dense.bias",
                "cls.predictions.transform.LayerNorm.weight",
                "cls.predictions.transform.LayerNorm.bias", "cls.predictions.bias"}));
}

TEST(MaskedModel, GradientsOfEveryParameter) {
  Rng rng(1);
  MaskedModel model(small, rng);
  const GradientCheckResult result =
      testing::check_layer(model, {}, [&](Tape& tape, const std::vector<Variable>&) {
        return model.loss(tape, two_texts(), {.label_smoothing = 0.1});
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(MaskedModel, PredictsAtItsPlacesOnly) {
  Rng rng(1);
  const MaskedModel model(small, rng);
  Tape tape({.record = false});
  Batch batch = two_texts();
  const Tensor all = model.features(tape, batch).value();
  EXPECT_EQ(all.shape(), (Shape{3, 8}));
  batch.places = {7};
  batch.target = join_sentences(std::vector<std::vector<int32_t>>{{}, {9}});
  EXPECT_EQ(values_of(model.features(tape, batch).value()), values_of(all.slice(2, 3)));
}

TEST(MaskedModel, RefusesPlacesThatDoNotFit) {
  Rng rng(1);
  const MaskedModel model(small, rng);
  Tape tape;
  Batch batch = two_texts();
  batch.places.pop_back();
  EXPECT_EQ(error_of([&] { model.features(tape, batch); }),
            "masked model: 2 places for 3 missing tokens");
  batch.places.push_back(9);
  EXPECT_EQ(error_of([&] { model.features(tape, batch); }),
            "embed: id 9 is not in a vocabulary of 9");
}

}  // namespace
}  // namespace heed
