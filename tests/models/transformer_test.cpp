#include "heed/models/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "error_of.h"
#include "golden_transformers.h"
#include "heed/autograd/arithmetic.h"
#include "heed/autograd/cross_entropy.h"
#include "heed/autograd/gradient_check.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::close_to_golden;
using heed::testing::error_of;
using heed::testing::golden_batch;
using heed::testing::golden_tolerance;
using heed::testing::golden_transformers;
using heed::testing::GoldenTransformer;
using heed::testing::pair_of;
using heed::testing::values_of;

// The mean over the tokens, as the golden files have it.
Variable loss_of(Tape& tape, const Model& model, const Batch& batch) {
  const OutputLayer output = model.output_layer();
  const Variable sum =
      linear_cross_entropy(model.features(tape, batch), tape.watch(output.weight),
                           tape.watch(output.bias), batch.target.ids, {.label_smoothing = 0.1});
  return scale(sum, 1.0 / static_cast<double>(batch.target.ids.size()));
}

template <typename Check>
void for_golden_cases(Check check) {
  for (const GoldenTransformer& one : golden_transformers())
    for (const Type type : {Type::float32, Type::float64}) {
      SCOPED_TRACE(fmt::format("{} {}", one.name, name_of(type)));
      const TensorFile file = one.open();
      check(file, one.model(file, type));
    }
}

TEST(Transformer, LogitsEqualPyTorchs) {
  for_golden_cases([](const TensorFile& file, const Transformer& model) {
    Tape tape;
    const Variable found = logits(tape, model, golden_batch(file));
    EXPECT_TRUE(close_to_golden(found.value(), file.read("logits", Type::float64)));
  });
}

std::map<std::string, std::vector<double>> golden_gradients(const TensorFile& file) {
  std::map<std::string, std::vector<double>> gradients;
  for (const std::string& name : file.names())
    if (name.starts_with("gradient."))
      gradients[name.substr(std::strlen("gradient."))] = values_of(file.read(name, Type::float64));
  return gradients;
}

double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  return largest;
}

TEST(Transformer, GradientsEqualPyTorchs) {
  for_golden_cases([](const TensorFile& file, Transformer model) {
    Tape tape;
    tape.backward(loss_of(tape, model, golden_batch(file)));
    const auto expected = golden_gradients(file);
    const std::vector<Parameter> parameters = parameters_of(model);
    ASSERT_EQ(parameters.size(), expected.size());
    double largest_of_all = 0;
    for (const auto& [name, gradient] : expected)
      largest_of_all = std::max(largest_of_all, largest_of(gradient));
    // Small gradients have the rounding errors of the large ones they come from; those of the keys'
    // biases, which shift all scores alike, are nothing else.
    for (const Parameter& parameter : parameters) {
      const std::vector<double>& golden = expected.at(parameter.name);
      const double tolerance = golden_tolerance(parameter.value.type()),
                   scale = std::max(largest_of(golden), largest_of_all / 10);
      EXPECT_TRUE(close(values_of(tape.gradient_of(parameter.value)), golden, tolerance,
                        tolerance / 3 * scale))
          << parameter.name;
    }
  });
}

TEST(Transformer, GradientsThroughDropout) {
  for (GoldenTransformer one : golden_transformers()) {
    SCOPED_TRACE(one.name);
    one.config.dropout = one.config.embedding_dropout = 0.3;
    one.config.activation_dropout = one.config.attention_dropout = 0.2;
    const TensorFile file = one.open();
    const Batch batch = pair_of(golden_batch(file), 0);
    Transformer model = one.model(file, Type::float64);
    std::vector<Tensor> parameters;
    for (const Parameter& parameter : parameters_of(model)) parameters.push_back(parameter.value);
    const GradientCheckResult result = check_gradients(
        parameters,
        [&](Tape& tape, const std::vector<Variable>& variables) {
          size_t next = 0;
          model.visit_parameters(
              {}, [&](const std::string&, Tensor& value) { value = variables[next++].value(); });
          return logits(tape, model, batch);
        },
        {.tape = {.training = true, .seed = 3}});
    EXPECT_TRUE(result.passed) << result.complaint;
  }
}

TEST(Transformer, DropsOnlyInTraining) {
  for (const GoldenTransformer& one : golden_transformers()) {
    const TensorFile file = one.open();
    const Batch batch = golden_batch(file);
    for (double TransformerConfig::*rate :
         {&TransformerConfig::dropout, &TransformerConfig::embedding_dropout,
          &TransformerConfig::activation_dropout, &TransformerConfig::attention_dropout}) {
      const auto run = [&](double dropped, bool training) {
        GoldenTransformer dropping = one;
        dropping.config.*rate = dropped;
        Tape tape({.training = training, .seed = 1});
        return values_of(dropping.model(file, Type::float32).features(tape, batch).value());
      };
      EXPECT_EQ(run(0.5, false), run(0.0, true));
      EXPECT_NE(run(0.5, true), run(0.0, true));
    }
  }
}

TEST(Transformer, SentencesDoNotSeeEachOther) {
  for (const GoldenTransformer& one : golden_transformers()) {
    SCOPED_TRACE(one.name);
    const TensorFile file = one.open();
    const Transformer model = one.model(file, Type::float32);
    const Batch batch = golden_batch(file);
    Tape tape;
    const Tensor all = logits(tape, model, batch).value();
    const Ragged& layout = batch.target.layout;
    for (int64_t s = 0; s < batch.sentences(); ++s) {
      const Tensor alone = logits(tape, model, pair_of(batch, s)).value();
      EXPECT_TRUE(close(values_of(alone), values_of(all.slice(layout.begin(s), layout.end(s))),
                        1e-5, 1e-5));
    }
  }
}

TEST(Transformer, TokensDoNotSeeTheFuture) {
  for (const GoldenTransformer& one : golden_transformers()) {
    SCOPED_TRACE(one.name);
    const TensorFile file = one.open();
    const Transformer model = one.model(file, Type::float32);
    Batch batch = pair_of(golden_batch(file), 2);
    Tape tape;
    const std::vector<double> before = values_of(logits(tape, model, batch).value().slice(0, 4));
    for (size_t t = 3; t < batch.target.ids.size(); ++t) batch.target.ids[t] = 6;
    const Tensor after = logits(tape, model, batch).value();
    EXPECT_EQ(values_of(after.slice(0, 4)), before);
  }
}

// Sinusoids are computed beforehand for sentences of the usual lengths only.
TEST(Transformer, ReadsSentencesOfAnyLengthWithSinusoids) {
  const GoldenTransformer one = golden_transformers().front();
  const TensorFile file = one.open();
  const Transformer model = one.model(file, Type::float32),
                    precise = one.model(file, Type::float64);
  Batch batch;
  for (TokenBatch* side : {&batch.source, &batch.target}) {
    for (int32_t i = 0; i < 700; ++i) side->ids.push_back(i * i % 11);
    side->layout = Ragged({700});
  }
  Tape tape, precise_tape;
  const std::vector<double> expected = values_of(logits(precise_tape, precise, batch).value());
  EXPECT_TRUE(close(values_of(logits(tape, model, batch).value()), expected, 1e-4, 1e-4));
}

// Also where the encoder does not read the end of the source.
TEST(Transformer, LearnsLinksWithOneHead) {
  for_golden_cases([](const TensorFile& file, Transformer model) {
    Batch batch = golden_batch(file);
    const int64_t layer = model.config().decoder_layers, head = model.config().heads;
    const auto loss = [&](const Batch& pairs) {
      Tape tape;
      return model.loss(tape, pairs, {}).value()[0];
    };
    const double before = loss(batch);
    const auto second = static_cast<int32_t>(batch.target.layout.begin(1));
    batch.links = {{0, 1}, {second, 0}, {second, 1}};
    EXPECT_EQ(loss(batch), before);  // nobody has asked for it
    model.guide({.head = {AttentionPart::cross, layer, head}, .weight = 0.5});
    Tape tape;
    AttentionRecorder recorder;
    model.recorded_features(tape, batch, &recorder);
    const Tensor& weights = recorder.attentions().back().weights;
    const auto surprise = [&](int64_t sentence, int64_t key) {
      const int64_t heads = weights.shape()[1], queries = weights.shape()[2],
                    keys = weights.shape()[3];
      return -std::log(weights[((sentence * heads + head - 1) * queries) * keys + key]);
    };
    const double links = surprise(0, 1) + (surprise(1, 0) + surprise(1, 1)) / 2;
    EXPECT_NEAR(loss(batch), before + 0.5 * links, 2e-5 * before);
    // As R-Drop has it.
    EXPECT_NEAR(loss(twice(batch)), 2 * loss(batch), 4e-5 * before);
    batch.links.clear();
    EXPECT_EQ(loss(batch), before);
    EXPECT_EQ(error_of([&] {
                model.guide({.head = {AttentionPart::cross, layer + 1, 1}});
              }),
              fmt::format("transformer: cross:{}:1 is to learn links, but a head of cross:1:1 to "
                          "cross:{}:{} was expected",
                          layer + 1, layer, head));
  });
}

TEST(Transformer, WeighsPairs) {
  const GoldenTransformer one = golden_transformers().front();
  const TensorFile file = one.open();
  const Transformer model = one.model(file, Type::float64);
  const auto loss = [&](const Batch& batch) {
    Tape tape;
    return model.loss(tape, batch, {.label_smoothing = 0.1}).value()[0];
  };
  Batch batch = golden_batch(file);
  double expected = 0;
  for (int64_t pair = 0; pair < batch.sentences(); ++pair) {
    batch.weights.push_back(0.5f * static_cast<float>(pair));
    expected += 0.5 * static_cast<double>(pair) * loss(pair_of(batch, pair));
  }
  EXPECT_NEAR(loss(batch), expected, 1e-9 * expected);
}

TEST(Transformer, CountsTheMultiplicationsOfItsWeights) {
  for (const GoldenTransformer& one : golden_transformers()) {
    SCOPED_TRACE(one.name);
    Rng rng(1);
    Transformer model(one.config, rng);
    int64_t matrices = one.config.tied == TiedEmbeddings::none ? 0 : 11 * one.config.width;
    for (const Parameter& parameter : parameters_of(model)) {
      const bool table = parameter.name.find("embed_") != std::string::npos ||
                         parameter.name.find("shared") != std::string::npos ||
                         parameter.name.find("relative_bias") != std::string::npos;
      if (parameter.value.shape().rank() == 2 && !table) matrices += parameter.value.elements();
    }
    EXPECT_EQ(model.source_multiplications() + model.target_multiplications(), matrices);
  }
}

TEST(Transformer, BeginsWithTheSameWeightsForTheSameSeed) {
  const auto weights = [](uint64_t seed) {
    Rng rng(seed);
    Transformer model(golden_transformers()[1].config, rng);
    std::vector<double> all;
    for (const Parameter& parameter : parameters_of(model))
      for (const double value : values_of(parameter.value)) all.push_back(value);
    return all;
  };
  EXPECT_EQ(weights(1), weights(1));
  EXPECT_NE(weights(1), weights(2));
}

template <typename Change>
std::string complaint(Change change) {
  TransformerConfig config{.source_vocabulary = 20, .target_vocabulary = 20};
  change(config);
  return error_of([&] { check(config); });
}

TEST(Transformer, RefusesWhatCannotBe) {
  EXPECT_EQ(complaint([](TransformerConfig&) {}), "(nothing was thrown)");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.heads = 7; }),
            "transformer: 7 heads do not divide a width of 512");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.heads = 0; }),
            "transformer: 0 heads do not divide a width of 512");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.kv_heads = 3; }),
            "transformer: 3 KV heads do not divide 8 heads");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.target_vocabulary = 2; }),
            "transformer: vocabularies of 20 and 2 but at least 3 was expected");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.source_vocabulary = 30; }),
            "transformer: all embeddings are tied, but the vocabularies have 30 and 20 words");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.decoder_layers = 0; }),
            "transformer: 6 encoder layers and 0 decoder layers but at least 1 was expected");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.ffn = 0; }),
            "transformer: an FFN size of 0 but at least 1 was expected");
  EXPECT_EQ(complaint([](TransformerConfig& c) { c.attention_dropout = 1.0; }),
            "transformer: a dropout of 1 but 0 <= rate < 1 was expected");
  EXPECT_EQ(complaint([](TransformerConfig& c) {
              c.positions = PositionKind::learned;
              c.context_length = 0;
            }),
            "transformer: learned positions for 0 tokens but at least 1 was expected");
  EXPECT_EQ(complaint([](TransformerConfig& c) {
              c.positions = PositionKind::rotary;
              c.width = 24;
            }),
            "transformer: rotary positions need an even head width but it is 3");
  EXPECT_EQ(complaint([](TransformerConfig& c) {
              c.positions = PositionKind::relative;
              c.max_distance = -1;
            }),
            "transformer: relative positions with a maximum distance of -1");
}

TEST(Transformer, RefusesWhatItCannotRead) {
  const GoldenTransformer one = golden_transformers()[1];
  const TensorFile file = one.open();
  const Transformer model = one.model(file, Type::float32);
  const auto complaint_about = [&](const Batch& batch) {
    return error_of([&] {
      Tape tape;
      model.features(tape, batch);
    });
  };
  EXPECT_EQ(complaint_about({{{3, 0}, Ragged({2})}, {{3, 0, 0}, Ragged({2, 1})}}),
            "transformer: 1 source sentences but 2 target sentences");
  const TokenBatch eight{std::vector<int32_t>(8, 1), Ragged({8})};
  EXPECT_EQ(complaint_about({eight, {{3, 0}, Ragged({2})}}),
            "add_positions: 8 positions from 0 on are needed but the table has 7");
  EXPECT_EQ(complaint_about({{{9, 0}, Ragged({2})}, {{3, 0}, Ragged({2})}}),
            "embed: id 9 is not in a vocabulary of 9");
}

TEST(Transformer, AStartOfZerosHasNoVectorAndLearnsNone) {
  const int64_t start = 6;
  TransformerConfig config = {.source_vocabulary = 7,
                              .target_vocabulary = start + 1,
                              .encoder_layers = 1,
                              .decoder_layers = 1,
                              .width = 8,
                              .ffn = 8,
                              .heads = 2,
                              .tied = TiedEmbeddings::none};
  const std::vector<std::vector<int32_t>> source = {{3, 4, 0}, {5, 0}},
                                          target = {{4, 0}, {3, 5, 0}};
  const Batch batch = {.source = join_sentences(source), .target = join_sentences(target)};
  for (const DecoderStart kind : {DecoderStart::learned, DecoderStart::zeros}) {
    config.decoder_start = kind;
    Rng rng(1);
    Transformer model(config, rng);
    Tensor table;
    model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
      if (name == "model.decoder.embed_tokens.weight") table = value;
    });
    const auto features = [&] {
      Tape tape({.record = false});
      return values_of(model.features(tape, batch).value());
    };
    Tape tape;
    tape.backward(loss_of(tape, model, batch));
    const std::vector<double> gradients =
                                  values_of(tape.gradient_of(table).slice(start, start + 1)),
                              before = features();
    std::ranges::fill(table.row<float>(start), 0.5f);
    const bool learns = kind == DecoderStart::learned;
    EXPECT_EQ(features() != before, learns);
    EXPECT_EQ(std::ranges::any_of(gradients, [](double g) { return g != 0; }), learns);
    std::ranges::fill(table.row<float>(start), 0.0f);
    EXPECT_EQ(features() == before, !learns);
  }
}

}  // namespace
}  // namespace heed
