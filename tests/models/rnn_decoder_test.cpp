#include "heed/models/rnn_decoder.h"

#include <gtest/gtest.h>

#include <numeric>

#include "close.h"
#include "error_of.h"
#include "heed/models/rnn.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;

constexpr int32_t start = 12;

struct Kind {
  RecurrentKind cell;
  std::optional<ScoreKind> attention;
  int layers;
};

const std::vector<Kind> all_kinds = [] {
  std::vector<Kind> kinds;
  for (const RecurrentKind cell : {RecurrentKind::gru, RecurrentKind::lstm})
    for (const std::optional<ScoreKind> attention :
         {std::optional(ScoreKind::additive), std::optional(ScoreKind::bilinear),
          std::optional(ScoreKind::dot), std::optional(ScoreKind::scaled_dot), std::optional<ScoreKind>()})
      for (const int layers : {1, 2}) kinds.push_back({cell, attention, layers});
  return kinds;
}();

Rnn model_of(const Kind& kind) {
  Rng rng(1);
  return Rnn({.source_vocabulary = 10,
              .target_vocabulary = 13,
              .embedding = 7,
              .hidden = 8,
              .layers = kind.layers,
              .cell = kind.cell,
              .attention = kind.attention},
             rng);
}

const TokenBatch source{{5, 3, 0, 2, 9, 9, 1, 0, 4, 0}, Ragged({3, 5, 2})};

// The logits for the last token of each of some target sentences, from the whole sentences.
std::vector<std::vector<double>> last_logits(const Rnn& model, const TokenBatch& of_source,
                                             const std::vector<std::vector<int32_t>>& targets) {
  Tape tape;
  const Batch batch{of_source, join_sentences(targets)};
  const Tensor all = logits(tape, model, batch).value();
  std::vector<std::vector<double>> rows;
  for (int64_t s = 0; s < batch.sentences(); ++s)
    rows.push_back(values_of(all.slice(batch.target.layout.end(s) - 1, batch.target.layout.end(s))));
  return rows;
}

template <typename Check>
void for_every_kind(Check check) {
  for (const Kind& kind : all_kinds) {
    SCOPED_TRACE(fmt::format("{} {} {}", kind.layers, kind.cell == RecurrentKind::gru ? "gru" : "lstm",
                             kind.attention ? name_of(*kind.attention) : "none"));
    check(model_of(kind), kind);
  }
}

TEST(RnnDecoder, StepByStepGivesWhatTheWholeSentenceGives) {
  for_every_kind([](const Rnn& model, const Kind&) {
    const std::unique_ptr<Decoder> decoder = model.decode(source);
    ASSERT_EQ(decoder->hypotheses(), 3);
    // What each hypothesis reads; the token after the last is predicted, and so any.
    std::vector<std::vector<int32_t>> targets(3, {0});
    std::vector<int32_t> tokens(3, start);
    for (int32_t step = 0; step < 5; ++step) {
      const Tensor scores = decoder->step(tokens);
      ASSERT_EQ(scores.shape(), (Shape{3, 13}));
      const auto expected = last_logits(model, source, targets);
      for (int64_t i = 0; i < 3; ++i) {
        const size_t s = static_cast<size_t>(i);
        EXPECT_TRUE(close(values_of(scores.slice(i, i + 1)), expected[s], 1e-5, 1e-6));
        tokens[s] = (step * 5 + static_cast<int32_t>(i) * 3) % 13;
        targets[s].insert(targets[s].end() - 1, tokens[s]);
      }
    }
  });
}

TEST(RnnDecoder, SelectKeepsCopiesAndForgetsHypotheses) {
  for_every_kind([](const Rnn& model, const Kind&) {
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
      EXPECT_TRUE(close(values_of(scores.slice(i, i + 1)), expected[static_cast<size_t>(i)], 1e-5, 1e-6));
    decoder->select({});
    EXPECT_EQ(decoder->hypotheses(), 0);
  });
}

TEST(RnnDecoder, AttentionIsADistributionOverTheSentence) {
  for_every_kind([](const Rnn& model, const Kind& kind) {
    const std::unique_ptr<Decoder> decoder = model.decode(source, {.want_attention = true});
    decoder->step(std::vector<int32_t>(3, start));
    decoder->select(std::vector<int64_t>{1, 1, 2});
    // The query is the state before the step, so the copies differ from the second step on.
    decoder->step(std::vector<int32_t>{3, 4, 5});
    decoder->step(std::vector<int32_t>{3, 4, 5});
    const Tensor weights = decoder->attention();
    ASSERT_EQ(weights.present(), kind.attention.has_value());
    if (!kind.attention) return;
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

TEST(RnnDecoder, GivesAttentionOnlyWhereWanted) {
  const Rnn model = model_of(all_kinds.front());
  const std::unique_ptr<Decoder> decoder = model.decode(source);
  decoder->step(std::vector<int32_t>(3, start));
  EXPECT_FALSE(decoder->attention().present());
}

TEST(RnnDecoder, RefusesWhatDoesNotFit) {
  Rnn model = model_of(all_kinds.front());
  const std::unique_ptr<Decoder> decoder = model.decode(source);
  EXPECT_EQ(error_of([&] { decoder->step(std::vector<int32_t>{1, 2}); }), "rnn: 2 tokens for 3 hypotheses");
  EXPECT_EQ(error_of([&] {
              decoder->step(std::vector<int32_t>{1, 2, 13});
            }),
            "rnn: token 13 but the vocabulary has 13");
  EXPECT_EQ(error_of([&] {
              decoder->select(std::vector<int64_t>{0, 3});
            }),
            "rnn: hypothesis 3 was selected but there are 3");
  EXPECT_EQ(error_of([&] {
              decoder->select(std::vector<int64_t>{1, 0});
            }),
            "rnn: the selected hypotheses are not in the order of their sentences");
  convert_parameters(model, Type::float64);
  EXPECT_EQ(error_of([&] { model.decode(source); }),
            "rnn: decoding needs parameters of type float32 but they have type float64");
}

}  // namespace
}  // namespace heed
