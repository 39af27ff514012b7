#include "heed/models/classifier.h"

#include <gtest/gtest.h>

#include <cmath>

#include "check_layer.h"
#include "error_of.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::values_of;

constexpr ClassifierConfig small = {.encoder = {.vocabulary = 11,
                                                .layers = 1,
                                                .width = 8,
                                                .ffn = 12,
                                                .heads = 2,
                                                .context_length = 6,
                                                .norm_epsilon = 1e-5,
                                                .dropout = 0,
                                                .attention_dropout = 0},
                                    .labels = 3,
                                    .dropout = 0};

const std::vector<int32_t> labels = {2, 0};

Batch two_texts() {
  const std::vector<std::vector<int32_t>> texts = {{2, 5, 3}, {2, 7, 9, 3}};
  return {join_sentences(texts), {labels, Ragged({1, 1})}};
}

class EveryPooling : public ::testing::TestWithParam<TextPooling> {
 protected:
  EveryPooling() : config_(small) { config_.pooling = GetParam(); }

  ClassifierConfig config_;
};

INSTANTIATE_TEST_SUITE_P(, EveryPooling,
                         ::testing::Values(TextPooling::mean, TextPooling::max, TextPooling::first,
                                           TextPooling::attention, TextPooling::pooler),
                         [](const auto& test) -> std::string {
                           switch (test.param) {
                             case TextPooling::mean:
                               return "mean";
                             case TextPooling::max:
                               return "max";
                             case TextPooling::first:
                               return "first";
                             case TextPooling::attention:
                               return "attention";
                             case TextPooling::pooler:
                               return "pooler";
                           }
                           __builtin_unreachable();
                         });

TEST_P(EveryPooling, GradientsOfEveryParameter) {
  Rng rng(1);
  Classifier model(config_, rng);
  const GradientCheckResult result =
      testing::check_layer(model, {}, [&](Tape& tape, const std::vector<Variable>&) {
        return model.loss(tape, two_texts(), {.label_smoothing = 0.1});
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST_P(EveryPooling, TheLossIsThatOfTheLogits) {
  Rng rng(1);
  const Classifier model(config_, rng);
  Tape tape({.record = false});
  const std::vector<double> scores = values_of(logits(tape, model, two_texts()).value());
  ASSERT_EQ(scores.size(), 6u);
  double expected = 0;
  for (size_t text = 0; text < 2; ++text) {
    double sum = 0;
    for (size_t label = 0; label < 3; ++label) sum += std::exp(scores[3 * text + label]);
    expected += std::log(sum) - scores[3 * text + static_cast<size_t>(labels[text])];
  }
  EXPECT_NEAR(model.loss(tape, two_texts(), {}).value()[0], expected, 1e-5);
}

TEST_P(EveryPooling, TextsDoNotSeeEachOther) {
  Rng rng(1);
  const Classifier model(config_, rng);
  Tape tape({.record = false});
  const Batch alone = {join_sentences(std::vector<std::vector<int32_t>>{{2, 7, 9, 3}}), {}};
  EXPECT_EQ(values_of(logits(tape, model, two_texts()).value().slice(1, 2)),
            values_of(logits(tape, model, alone).value()));
}

TEST(Classifier, AttentionBeginsAsTheMean) {
  const auto scores = [](TextPooling pooling) {
    ClassifierConfig config = small;
    config.pooling = pooling;
    Rng rng(1);
    Tape tape({.record = false});
    return values_of(logits(tape, Classifier(config, rng), two_texts()).value());
  };
  EXPECT_TRUE(close(scores(TextPooling::attention), scores(TextPooling::mean), 1e-5, 1e-6));
}

TEST(Classifier, RefusesWhatDoesNotFit) {
  ClassifierConfig config = small;
  config.labels = 1;
  EXPECT_EQ(error_of([&] { check(config); }), "classifier: 1 labels but at least 2 were expected");
  config = small;
  config.dropout = 1;
  EXPECT_EQ(error_of([&] { check(config); }),
            "classifier: a dropout of 1 but 0 <= rate < 1 was expected");
  Rng rng(1);
  const Classifier model(small, rng);
  Tape tape;
  Batch batch = two_texts();
  batch.target.ids.pop_back();
  EXPECT_EQ(error_of([&] { model.loss(tape, batch, {}); }), "classifier: 1 labels for 2 texts");
}

ClassifierConfig of_several_labels() {
  ClassifierConfig config = small;
  config.several_labels = true;
  return config;
}

TEST(ClassifierOfSeveralLabels, TheLossIsThatOfAllAnswers) {
  Rng rng(1);
  const Classifier model(of_several_labels(), rng);
  Batch batch = two_texts();
  batch.target.ids = {1, 0, 1, 0, 0, 0};
  Tape tape({.record = false});
  const std::vector<double> scores = values_of(logits(tape, model, batch).value());
  double expected = 0;
  for (size_t i = 0; i < 6; ++i) {
    const double p = 1 / (1 + std::exp(-scores[i]));
    expected -= std::log(batch.target.ids[i] == 1 ? p : 1 - p);
  }
  EXPECT_NEAR(model.loss(tape, batch, {}).value()[0], expected, 1e-5);
}

TEST(ClassifierOfSeveralLabels, RefusesWhatDoesNotFit) {
  ClassifierConfig config = of_several_labels();
  config.labels = 1;
  check(config);
  config.labels = 0;
  EXPECT_EQ(error_of([&] { check(config); }), "classifier: 0 labels but at least 1 were expected");
  Rng rng(1);
  const Classifier model(of_several_labels(), rng);
  Tape tape;
  EXPECT_EQ(error_of([&] { model.loss(tape, two_texts(), {}); }),
            "classifier: 2 answers for 2 texts");
}

TEST(Classifier, TheWeightsOfItsPoolingAreThoseOfTheVector) {
  ClassifierConfig config = small;
  config.pooling = TextPooling::attention;
  Rng rng(1);
  Classifier model(config, rng);
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    if (name == "pooling.query") value = testing::random_tensor({8}, 3);
  });
  Tape tape({.record = false});
  const Batch batch = two_texts();
  const Variable x = model.encoder().encode(tape, batch.source);
  const std::vector<double> weights = values_of(*model.pooling_weights(x, batch.source.layout));
  ASSERT_EQ(weights.size(), 7u);
  std::vector<double> pooled(16);
  for (size_t t = 0; t < 7; ++t)
    for (size_t c = 0; c < 8; ++c)
      pooled[(t < 3 ? 0 : 8) + c] += weights[t] * x.value()[static_cast<int64_t>(8 * t + c)];
  EXPECT_TRUE(close(pooled, values_of(model.features(tape, batch).value()), 1e-5, 1e-6));
  EXPECT_FALSE(Classifier(small, rng).pooling_weights(x, batch.source.layout));
}

}  // namespace
}  // namespace heed
