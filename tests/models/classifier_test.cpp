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

TokenBatch two_texts() {
  const std::vector<std::vector<int32_t>> texts = {{2, 5, 3}, {2, 7, 9, 3}};
  return join_sentences(texts);
}

const std::vector<int32_t> labels = {2, 0};

class EveryPooling : public ::testing::TestWithParam<TextPooling> {
 protected:
  EveryPooling() : config_(small) { config_.pooling = GetParam(); }

  ClassifierConfig config_;
};

INSTANTIATE_TEST_SUITE_P(, EveryPooling,
                         ::testing::Values(TextPooling::mean, TextPooling::max, TextPooling::first,
                                           TextPooling::attention),
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
                           }
                           __builtin_unreachable();
                         });

TEST_P(EveryPooling, GradientsOfEveryParameter) {
  Rng rng(1);
  Classifier model(config_, rng);
  const GradientCheckResult result =
      testing::check_layer(model, {}, [&](Tape& tape, const std::vector<Variable>&) {
        return model.loss(tape, two_texts(), labels, {.label_smoothing = 0.1});
      });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST_P(EveryPooling, TheLossIsThatOfTheLogits) {
  Rng rng(1);
  const Classifier model(config_, rng);
  Tape tape({.record = false});
  const std::vector<double> scores = values_of(model.logits(tape, two_texts()).value());
  ASSERT_EQ(scores.size(), 6u);
  double expected = 0;
  for (size_t text = 0; text < 2; ++text) {
    double sum = 0;
    for (size_t label = 0; label < 3; ++label) sum += std::exp(scores[3 * text + label]);
    expected += std::log(sum) - scores[3 * text + static_cast<size_t>(labels[text])];
  }
  EXPECT_NEAR(model.loss(tape, two_texts(), labels).value()[0], expected, 1e-5);
}

TEST_P(EveryPooling, TextsDoNotSeeEachOther) {
  Rng rng(1);
  const Classifier model(config_, rng);
  Tape tape({.record = false});
  const std::vector<std::vector<int32_t>> alone = {{2, 7, 9, 3}};
  EXPECT_EQ(values_of(model.logits(tape, two_texts()).value().slice(1, 2)),
            values_of(model.logits(tape, join_sentences(alone)).value()));
}

TEST(Classifier, AttentionBeginsAsTheMean) {
  const auto scores = [](TextPooling pooling) {
    ClassifierConfig config = small;
    config.pooling = pooling;
    Rng rng(1);
    Tape tape({.record = false});
    return values_of(Classifier(config, rng).logits(tape, two_texts()).value());
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
  const std::vector<int32_t> one = {0};
  EXPECT_EQ(error_of([&] { model.loss(tape, two_texts(), one); }),
            "classifier: 1 labels for 2 texts");
}

}  // namespace
}  // namespace heed
