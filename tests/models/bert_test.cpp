#include "heed/models/bert.h"

#include <gtest/gtest.h>

#include "check_layer.h"
#include "error_of.h"
#include "heed/autograd/arithmetic.h"

namespace heed {
namespace {

using testing::close;
using testing::error_of;
using testing::values_of;

constexpr BertConfig small = {.vocabulary = 11,
                              .layers = 2,
                              .width = 8,
                              .ffn = 12,
                              .heads = 2,
                              .context_length = 6,
                              .dropout = 0,
                              .attention_dropout = 0};

TokenBatch texts(const std::vector<std::vector<int32_t>>& sentences) {
  return join_sentences(sentences);
}

TEST(Bert, HasTheNamesOfItsParametersFromHuggingFace) {
  Rng rng(1);
  BertConfig config = small;
  config.layers = 1;
  Bert model(config, rng);
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_of(model)) names.push_back(parameter.name);
  const std::vector<std::string> expected = {"embeddings.word_embeddings.weight",
                                             "embeddings.position_embeddings.weight",
                                             "embeddings.token_type_embeddings.weight",
                                             "embeddings.LayerNorm.weight",
                                             "embeddings.LayerNorm.bias",
                                             "encoder.layer.0.attention.self.query.weight",
                                             "encoder.layer.0.attention.self.query.bias",
                                             "encoder.layer.0.attention.self.key.weight",
                                             "encoder.layer.0.attention.self.key.bias",
                                             "encoder.layer.0.attention.self.value.weight",
                                             "encoder.layer.0.attention.self.value.bias",
                                             "encoder.layer.0.attention.output.dense.weight",
                                             "encoder.layer.0.attention.output.dense.bias",
                                             "encoder.layer.0.attention.output.LayerNorm.weight",
                                             "encoder.layer.0.attention.output.LayerNorm.bias",
                                             "encoder.layer.0.intermediate.dense.weight",
                                             "encoder.layer.0.intermediate.dense.bias",
                                             "encoder.layer.0.output.dense.weight",
                                             "encoder.layer.0.output.dense.bias",
                                             "encoder.layer.0.output.LayerNorm.weight",
                                             "encoder.layer.0.output.LayerNorm.bias"};
  EXPECT_EQ(names, expected);
}

BertConfig with_convolution(int64_t size) {
  BertConfig config = small;
  config.convolution = size;
  return config;
}

class EveryBert : public ::testing::TestWithParam<int64_t> {
 protected:
  BertConfig config = with_convolution(GetParam());
};

INSTANTIATE_TEST_SUITE_P(, EveryBert, ::testing::Values(0, 1, 3, 5), [](const auto& test) {
  return test.param == 0 ? "plain" : fmt::format("convolution_of_{}", test.param);
});

TEST_P(EveryBert, GradientsOfEveryParameter) {
  Rng rng(1);
  config.norm_epsilon = 1e-5;
  Bert model(config, rng);
  const TokenBatch batch = texts({{2, 5, 3}, {2, 7, 9, 3}});
  const GradientCheckResult result = testing::check_layer(
      model, {},
      [&](Tape& tape, const std::vector<Variable>&) { return model.encode(tape, batch); });
  EXPECT_TRUE(result.passed) << result.complaint;
}

TEST(Bert, KnowsTheOrderOfTheTokensAndAllOfTheText) {
  Rng rng(1);
  const Bert model(small, rng);
  const auto first_of = [&](std::vector<int32_t> ids) {
    Tape tape({.record = false});
    return values_of(model.encode(tape, texts({std::move(ids)})).value().slice(0, 1));
  };
  EXPECT_NE(first_of({2, 5, 6}), first_of({2, 6, 5}));
  EXPECT_NE(first_of({2, 5, 6}), first_of({2, 5, 7}));
}

// To the last bit, whatever the batch, prepared or not.
TEST_P(EveryBert, ATextDoesNotDependOnOthers) {
  Rng rng(1);
  const Bert model(config, rng);
  const std::unique_ptr<const EncodingModel> prepared = model.prepare(Precision::float32);
  for (const EncodingModel* one : {static_cast<const EncodingModel*>(&model), prepared.get()}) {
    Tape tape({.record = false});
    const Tensor together =
        one->encode(tape, texts({{2, 5, 3}, {2, 7, 9, 4, 3}, {2, 3}})).value().clone();
    const Tensor alone = one->encode(tape, texts({{2, 7, 9, 4, 3}})).value();
    EXPECT_EQ(values_of(alone), values_of(together.slice(3, 8)));
  }
}

TEST_P(EveryBert, PreparedItComputesTheSame) {
  Rng rng(1);
  const Bert model(config, rng);
  const TokenBatch batch = texts({{2, 5, 3}, {2, 7, 9, 3}});
  Tape tape({.record = false});
  const std::vector<double> expected = values_of(model.encode(tape, batch).value());
  EXPECT_TRUE(close(values_of(model.prepare(Precision::float32)->encode(tape, batch).value()),
                    expected, 0, 1e-6));
  EXPECT_TRUE(close(values_of(model.prepare(Precision::int8)->encode(tape, batch).value()),
                    expected, 0, 0.1));
}

// To the last bit as if W^O did not read the head, prepared or not.
TEST(Bert, HeadsCanBeSwitchedOff) {
  Rng rng(1), again(1);
  const Bert model(small, rng);
  Bert cleared(small, again);
  cleared.visit_parameters({}, [](const std::string& name, Tensor& value) {
    if (name != "encoder.layer.1.attention.output.dense.weight") return;
    for (int64_t row = 0; row < 8; ++row)
      for (int64_t column = 0; column < 4; ++column) value.matrix<float>()(row, column) = 0;
  });
  const auto encoded = [](const EncodingModel& one) {
    Tape tape({.record = false});
    return values_of(one.encode(tape, texts({{2, 5, 6, 3}})).value());
  };
  const std::vector<HeadGate> gates = {{{AttentionPart::encoder, 2, 1}, 0.0}};
  const std::unique_ptr<EncodingModel> gated = model.with_gates(gates);
  EXPECT_NE(encoded(*gated), encoded(model));
  EXPECT_EQ(encoded(*gated), encoded(cleared));
  EXPECT_EQ(encoded(*gated->prepare(Precision::float32)),
            encoded(*cleared.prepare(Precision::float32)));
  EXPECT_EQ(encoded(*model.with_gates({})), encoded(model));
  const std::vector<HeadGate> none = {{{AttentionPart::decoder, 1, 1}, 0.0}};
  EXPECT_NE(error_of([&] { model.with_gates(none); }).find("decoder:1:1"), std::string::npos);
}

TEST(Bert, ReportsEveryAttention) {
  Rng rng(1);
  const Bert model(small, rng);
  Tape tape({.record = false});
  AttentionRecorder recorder;
  model.encode(tape, texts({{2, 5, 6, 3}}), &recorder);
  ASSERT_EQ(recorder.attentions().size(), 2u);
  EXPECT_EQ(recorder.attentions()[1].layer, 2);
  EXPECT_EQ(recorder.attentions()[1].part, AttentionPart::encoder);
  EXPECT_EQ(recorder.attentions()[1].weights.shape(), (Shape{1, 2, 4, 4}));
  EXPECT_EQ(model.head_counts(), (HeadCounts{.encoder_layers = 2, .heads = 2}));
}

TEST(Bert, NoTextsGiveNothing) {
  Rng rng(1);
  const Bert model(small, rng);
  Tape tape({.record = false});
  EXPECT_EQ(model.encode(tape, {}).shape(), (Shape{0, 8}));
}

TEST(Bert, RefusesWhatDoesNotFit) {
  Rng rng(1);
  const Bert model(small, rng);
  Tape tape;
  EXPECT_EQ(error_of([&] {
              model.encode(tape, texts({{1, 1, 1, 1, 1, 1, 1}}));
            }),
            "bert: a text of 7 tokens, but the model reads at most 6");
  BertConfig config = small;
  config.heads = 3;
  EXPECT_EQ(error_of([&] { check(config); }), "bert: 3 heads do not divide a width of 8");
  config = small;
  config.layers = 0;
  EXPECT_EQ(error_of([&] { check(config); }),
            "bert: a vocabulary of 11, 2 types of tokens, 0 layers and a context length of 6, but "
            "each must be at least 1");
  for (const int64_t size : {2, -1})
    EXPECT_EQ(error_of([&] { check(with_convolution(size)); }),
              fmt::format("bert: a convolution of {} tokens but an odd number was expected, or 0 "
                          "for none",
                          size));
}

TEST_P(EveryBert, HasAtLeastTheWeightsThatAreExpected) {
  Rng rng(1);
  Bert model(config, rng);
  const auto weights = static_cast<double>(count_parameters(model));
  EXPECT_LE(fewest_weights(config), weights);
  EXPECT_GT(fewest_weights(config), 0.8 * weights);
}

}  // namespace
}  // namespace heed
