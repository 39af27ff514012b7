#include "heed/models/transformer_decoder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "close.h"
#include "error_of.h"
#include "heed/models/config_fields.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;

constexpr int64_t vocabulary = 13;
constexpr int32_t start = 12;

std::vector<TransformerConfig> all_kinds() {
  std::vector<TransformerConfig> kinds;
  for (const auto& positions : EnumNames<PositionKind>::values)
    for (const auto& placement : EnumNames<PositionPlacement>::values)
      for (const auto& norm : EnumNames<NormPlacement>::values)
        for (const int64_t key_heads : {4, 2, 1})
          kinds.push_back({.source_vocabulary = 10,
                           .target_vocabulary = vocabulary,
                           .encoder_layers = 2,
                           .decoder_layers = 2,
                           .depth = 16,
                           .feed_forward = 20,
                           .heads = 4,
                           .key_heads = key_heads,
                           .norm = norm.value,
                           .positions = positions.value,
                           .placement = placement.value,
                           .longest = 8,
                           .reach = 2,
                           .tied = TiedEmbeddings::none});
  return kinds;
}

// With numbers in every parameter: biases begin at zero, and would not be seen.
Transformer model_of(const TransformerConfig& config) {
  Rng rng(1);
  Transformer model(config, rng);
  model.visit_parameters({}, [&](const std::string&, Tensor& value) {
    for (float& number : value.span<float>()) number += 0.1f * static_cast<float>(rng.normal());
  });
  return model;
}

template <typename Check>
void for_every_kind(Check check) {
  for (const TransformerConfig& config : all_kinds()) {
    SCOPED_TRACE(fmt::format("positions {} placement {} norm {} key heads {}",
                             static_cast<int>(config.positions), static_cast<int>(config.placement),
                             static_cast<int>(config.norm), config.key_heads));
    check(model_of(config));
  }
}

const TokenBatch source{{5, 3, 0, 2, 9, 9, 1, 0, 4, 0}, Ragged({3, 5, 2})};

// The logits for the last token of each of some target sentences, from the whole sentences.
std::vector<std::vector<double>> last_logits(const Transformer& model, const TokenBatch& of_source,
                                             const std::vector<std::vector<int32_t>>& targets) {
  Tape tape;
  const Batch batch{of_source, join_sentences(targets)};
  const Tensor all = logits(tape, model, batch).value();
  std::vector<std::vector<double>> rows;
  for (int64_t s = 0; s < batch.sentences(); ++s)
    rows.push_back(values_of(all.slice(batch.target.layout.end(s) - 1, batch.target.layout.end(s))));
  return rows;
}

TEST(TransformerDecoder, StepByStepGivesWhatTheWholeSentenceGives) {
  for_every_kind([](const Transformer& model) {
    const std::unique_ptr<Decoder> decoder = model.decode(source);
    ASSERT_EQ(decoder->hypotheses(), 3);
    // What each hypothesis reads; the token after the last is predicted, and so any.
    std::vector<std::vector<int32_t>> targets(3, {0});
    std::vector<int32_t> tokens(3, start);
    for (int32_t step = 0; step < 6; ++step) {
      const Tensor scores = decoder->step(tokens);
      ASSERT_EQ(scores.shape(), (Shape{3, vocabulary}));
      const auto expected = last_logits(model, source, targets);
      for (int64_t i = 0; i < 3; ++i) {
        const size_t s = static_cast<size_t>(i);
        EXPECT_TRUE(close(values_of(scores.slice(i, i + 1)), expected[s], 1e-5, 1e-5));
        tokens[s] = (step * 5 + static_cast<int32_t>(i) * 3) % start;
        targets[s].insert(targets[s].end() - 1, tokens[s]);
      }
    }
  });
}

TEST(TransformerDecoder, SelectKeepsCopiesAndForgetsHypotheses) {
  for_every_kind([](const Transformer& model) {
    const std::unique_ptr<Decoder> decoder = model.decode(source);
    decoder->step(std::vector<int32_t>(3, start));
    // Two copies of the first sentence's hypothesis, none of the second's, one of the third's.
    decoder->select(std::vector<int64_t>{0, 0, 2});
    ASSERT_EQ(decoder->hypotheses(), 3);
    decoder->step(std::vector<int32_t>{4, 7, 2});
    decoder->select(std::vector<int64_t>{1, 0, 1, 2});
    const Tensor scores = decoder->step(std::vector<int32_t>{1, 2, 3, 4});
    const TokenBatch kept{{5, 3, 0, 5, 3, 0, 5, 3, 0, 4, 0}, Ragged({3, 3, 3, 2})};
    const auto expected = last_logits(model, kept, {{7, 1, 0}, {4, 2, 0}, {7, 3, 0}, {2, 4, 0}});
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_TRUE(close(values_of(scores.slice(i, i + 1)), expected[static_cast<size_t>(i)], 1e-5, 1e-5));
    decoder->select({});
    EXPECT_EQ(decoder->hypotheses(), 0);
  });
}

TEST(TransformerDecoder, AttentionIsADistributionOverTheSentence) {
  for_every_kind([](const Transformer& model) {
    const std::unique_ptr<Decoder> decoder = model.decode(source, {.want_attention = true});
    decoder->step(std::vector<int32_t>(3, start));
    decoder->select(std::vector<int64_t>{1, 1, 2});
    decoder->step(std::vector<int32_t>{3, 4, 5});
    const Tensor weights = decoder->attention();
    ASSERT_EQ(weights.shape(), (Shape{3, 5}));
    const std::vector<int64_t> lengths{5, 5, 2};
    for (int64_t i = 0; i < 3; ++i) {
      const std::vector<double> row = values_of(weights.slice(i, i + 1));
      EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-6);
      for (int64_t j = 0; j < 5; ++j)
        EXPECT_EQ(row[static_cast<size_t>(j)] > 0, j < lengths[static_cast<size_t>(i)]);
    }
    EXPECT_NE(values_of(weights.slice(0, 1)), values_of(weights.slice(1, 2)));
  });
}

TEST(TransformerDecoder, GivesAttentionOnlyWhereWanted) {
  const Transformer model = model_of(all_kinds().front());
  const std::unique_ptr<Decoder> decoder = model.decode(source);
  decoder->step(std::vector<int32_t>(3, start));
  EXPECT_FALSE(decoder->attention().present());
}

TEST(TransformerDecoder, RefusesWhatDoesNotFit) {
  TransformerConfig config = all_kinds().front();
  config.positions = PositionKind::learned;
  config.longest = 5;
  const Transformer model = model_of(config);
  const std::unique_ptr<Decoder> decoder = model.decode(source);
  EXPECT_EQ(error_of([&] {
              decoder->step(std::vector<int32_t>{1, 2});
            }),
            "decode: 2 tokens for 3 hypotheses");
  EXPECT_EQ(error_of([&] {
              decoder->step(std::vector<int32_t>{1, 2, 13});
            }),
            "embed: id 13 is not in a vocabulary of 13");
  EXPECT_EQ(error_of([&] {
              decoder->select(std::vector<int64_t>{0, 3});
            }),
            "decode: hypothesis 3 of 3 was asked for");
  EXPECT_EQ(error_of([&] {
              decoder->select(std::vector<int64_t>{1, 0});
            }),
            "decode: the hypotheses to keep are not in the order of their sentences");
  for (int step = 0; step < 5; ++step) decoder->step(std::vector<int32_t>(3, start));
  EXPECT_EQ(error_of([&] { decoder->step(std::vector<int32_t>(3, start)); }),
            "add_positions: 1 positions from 5 on are needed but the table has 5");
}

}  // namespace
}  // namespace heed
