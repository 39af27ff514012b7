#include "heed/models/language_model.h"

#include <gtest/gtest.h>

#include "close.h"
#include "error_of.h"
#include "heed/autograd/gradient_check.h"
#include "heed/models/language_model_decoder.h"
#include "model_kinds.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;
using namespace heed::testing::model_kinds;

using Texts = std::vector<std::vector<int32_t>>;

std::vector<double> logits_of(const Model& model, const Texts& before, const Texts& texts) {
  Tape tape({.record = false});
  return values_of(logits(tape, model, {join_sentences(before), join_sentences(texts)}).value());
}

TEST(LanguageModel, PredictsEachTokenFromThoseBeforeIt) {
  const auto model = model_of<LanguageModel>(small_language_model());
  const std::vector<double> before = logits_of(*model, {}, {{4, 5, 6, 0}}),
                            after = logits_of(*model, {}, {{4, 9, 6, 0}});
  // The first two rows have read the start and the first token; what follows has read the other.
  for (size_t row = 0; row < 4; ++row)
    EXPECT_EQ(std::equal(before.begin() + row * vocabulary, before.begin() + (row + 1) * vocabulary,
                         after.begin() + row * vocabulary),
              row < 2);
}

TEST(LanguageModel, ReadsASourceFirstAndThenTheStartToken) {
  const auto model = model_of<LanguageModel>(small_language_model());
  const std::vector<double> whole = logits_of(*model, {}, {{4, 5, start, 6, 7, 0}});
  // After its own start token; so the same tokens need a model that does not see that one.
  const std::vector<double> given = logits_of(*model, {{start, 4, 5}}, {{6, 7, 0}});
  EXPECT_TRUE(
      close(given, std::vector<double>(whole.begin() + 3 * vocabulary, whole.end()), 1e-5, 1e-6));
  EXPECT_EQ(error_of([&] {
              logits_of(*model, {{4}, {5}}, {{6, 0}});
            }),
            "language model: 2 sources but 1 texts");
}

TEST(LanguageModel, HasNoSourceToAttendTo) {
  const auto model = model_of<LanguageModel>(small_language_model());
  const HeadCounts counts = model->head_counts();
  EXPECT_EQ(counts.encoder_layers, 0);
  EXPECT_EQ(counts.decoder_layers, 2);
  EXPECT_EQ(counts.cross_layers, 0);
  EXPECT_EQ(model->source_multiplications(), 0);
}

TEST(LanguageModel, GradientsAreThoseOfItsLoss) {
  for (const bool tied : {true, false}) {
    LanguageModelConfig config = small_language_model();
    config.width = 8;
    config.tied = tied;
    const auto model = model_of<LanguageModel>(config);
    convert_parameters(*model, Type::float64);
    std::vector<Tensor> values;
    for (const Parameter& parameter : parameters_of(*model)) values.push_back(parameter.value);
    const Batch batch{join_sentences(Texts{{3}, {}}), join_sentences(Texts{{4, 0}, {7, 8, 0}})};
    const GradientCheckResult result = check_gradients(
        values, [&](Tape& tape, const std::vector<Variable>&) { return model->loss(tape, batch); });
    EXPECT_TRUE(result.passed) << result.complaint;
  }
}

// The beginning of a text gives the same in one pass as token by token, tolerance 0.
TEST(LanguageModel, ABeginningReadAtOnceGivesWhatItsTokensGive) {
  for (const Precision precision : {Precision::float32, Precision::int8}) {
    const auto model = model_of<LanguageModel>(small_language_model());
    const std::shared_ptr<const Generator> generator = model->prepare(precision);
    const std::unique_ptr<Decoder> at_once = generator->make_decoder(),
                                   stepwise = generator->make_decoder();
    at_once->add({{start, 4, 5, 6, start}, Ragged({4, 1})});
    stepwise->add({{}, Ragged({0, 0})});
    stepwise->step(std::vector<int32_t>{start, start});
    stepwise->select(std::vector<int64_t>{0});
    stepwise->step(std::vector<int32_t>{4});
    stepwise->step(std::vector<int32_t>{5});
    stepwise->step(std::vector<int32_t>{6});
    EXPECT_EQ(values_of(at_once->step(std::vector<int32_t>{7, 7}).slice(0, 1)),
              values_of(stepwise->step(std::vector<int32_t>{7})));
  }
}

TEST(LanguageModel, RefusesTextsBeyondItsContext) {
  const auto model = model_of<LanguageModel>(small_language_model());
  EXPECT_EQ(error_of([&] { logits_of(*model, {}, {std::vector<int32_t>(17, 1)}); }),
            "language model: a text of 17 tokens, but the context has 16");
  const std::shared_ptr<const Generator> generator = model->prepare(Precision::float32);
  const std::unique_ptr<Decoder> decoder = generator->make_decoder();
  EXPECT_EQ(error_of([&] { decoder->add(join_sentences(Texts{std::vector<int32_t>(16, 1)})); }),
            "decode: a text that begins with 16 tokens, but the context has 16");
  EXPECT_EQ(error_of([&] {
              decoder->add(join_sentences(Texts{{1, 13}}));
            }),
            "decode: token 13 is not in a vocabulary of 13");
  EXPECT_EQ(decoder->hypotheses(), 0);
}

TEST(LanguageModel, RefusesSettingsThatCannotBe) {
  const auto refusal = [](auto change) {
    LanguageModelConfig config = small_language_model();
    change(config);
    return error_of([&] { check(config); });
  };
  EXPECT_EQ(refusal([](auto& c) { c.vocabulary = 2; }),
            "language model: a vocabulary of 2 but at least 3 was expected");
  EXPECT_EQ(refusal([](auto& c) { c.layers = 0; }),
            "language model: 0 layers but at least 1 was expected");
  EXPECT_EQ(refusal([](auto& c) { c.context_length = 0; }),
            "language model: a context of 0 tokens but at least 1 was expected");
  EXPECT_EQ(refusal([](auto& c) { c.heads = 3; }),
            "language model: 3 heads do not divide a width of 16");
  EXPECT_EQ(refusal([](auto& c) { c.embedding_dropout = 1; }),
            "language model: a dropout of 1 but 0 <= rate < 1 was expected");
}

}  // namespace
}  // namespace heed
