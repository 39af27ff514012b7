// What every decoder promises, for all kinds of models.
#include <gtest/gtest.h>

#include <numeric>

#include "close.h"
#include "error_of.h"
#include "model_kinds.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::close;
using heed::testing::error_of;
using heed::testing::values_of;
using namespace heed::testing::model_kinds;

// The logits for the last token of each of some target sentences, from the whole sentences.
std::vector<std::vector<double>> last_logits(const Model& model, const TokenBatch& of_source,
                                             const std::vector<std::vector<int32_t>>& targets) {
  Tape tape;
  const Batch batch{of_source, join_sentences(targets)};
  const Tensor all = logits(tape, model, batch).value();
  std::vector<std::vector<double>> rows;
  for (int64_t s = 0; s < batch.sentences(); ++s)
    rows.push_back(
        values_of(all.slice(batch.target.layout.end(s) - 1, batch.target.layout.end(s))));
  return rows;
}

// A decoder keeps its generator's place in memory, so they go together.
struct Decoding {
  std::shared_ptr<const Generator> generator;
  std::unique_ptr<Decoder> decoder;

  Decoder* operator->() const { return decoder.get(); }
};

Decoding decoding(const Model& model, std::optional<AttentionChoice> attention = {},
                  Precision precision = Precision::float32) {
  const std::shared_ptr<const Generator> generator = model.prepare(precision);
  Decoding result = {generator, generator->make_decoder()};
  result->add(source, attention);
  return result;
}

TEST(Decoder, StepByStepGivesWhatTheWholeSentenceGives) {
  for_every_kind([](const Model& model, const Kind&) {
    const Decoding decoder = decoding(model);
    ASSERT_EQ(decoder->hypotheses(), 3);
    // What each hypothesis reads; the token after the last is predicted, so any will do.
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

// Each layer's and head's own weights, and their mean.
TEST(Decoder, AttentionOfAnyLayerAndHead) {
  const auto model = model_of<Transformer>(small_transformer());
  const auto attention = [&](const AttentionChoice& choice) {
    const Decoding decoder = decoding(*model, choice);
    decoder->step(std::vector<int32_t>(3, start));
    return values_of(decoder->attention());
  };
  for (const int layer : {1, 2}) {
    std::vector<double> mean(15);
    for (const int head : {1, 2, 3, 4}) {
      const std::vector<double> one = attention({.layer = layer, .head = head});
      EXPECT_NE(one, attention({.layer = layer, .head = head % 4 + 1}));
      for (size_t i = 0; i < one.size(); ++i) mean[i] += one[i] / 4;
    }
    EXPECT_TRUE(close(attention({.layer = layer}), mean, 1e-5, 1e-6));
  }
  EXPECT_EQ(attention({}), attention({.layer = 2}));
  EXPECT_NE(attention({}), attention({.layer = 1}));
  EXPECT_EQ(error_of([&] { attention({.layer = 3}); }),
            "attention of layer 3 was asked for, but the decoder has 2 layers");
  EXPECT_EQ(error_of([&] { attention({.head = 5}); }),
            "attention of head 5 was asked for, but a layer has 4 heads");
  EXPECT_EQ(error_of([&] { decoding(*model_of<Rnn>(small_rnn()), AttentionChoice{.layer = 2}); }),
            "attention of layer 2, head 0 was asked for, but a recurrent network has one of each");
}

TEST(Decoder, IntegersGiveAboutTheSame) {
  for_every_kind([](const Model& model, const Kind&) {
    const Decoding exact = decoding(model), rough = decoding(model, {}, Precision::int8);
    for (int32_t step = 0; step < 4; ++step) {
      const std::vector<int32_t> tokens = {step == 0 ? start : step, step == 0 ? start : 7,
                                           step == 0 ? start : 2};
      const std::vector<double> expected = values_of(exact->step(tokens));
      EXPECT_TRUE(close(values_of(rough->step(tokens)), expected, 0.3, 0.3));
    }
  });
}

// A model that was prepared goes on as it was: it can be trained, saved and prepared again.
TEST(Decoder, PreparingLeavesTheModelAsItIs) {
  for_every_kind([](const Model& model, const Kind& kind) {
    const auto before = last_logits(model, source, {{0}, {1, 0}, {2, 0}});
    const Decoding integers = decoding(model, {}, Precision::int8);
    EXPECT_EQ(last_logits(model, source, {{0}, {1, 0}, {2, 0}}), before);
    const std::unique_ptr<Model> same = kind.make();
    EXPECT_EQ(values_of(decoding(model)->step(std::vector<int32_t>(3, start))),
              values_of(decoding(*same)->step(std::vector<int32_t>(3, start))));
  });
}

// Sentences that join late, beside others that are further on, some of which have left.
TEST(Decoder, SentencesJoinAndLeaveAtAnyStep) {
  for_every_kind([](const Model& model, const Kind& kind) {
    const Decoding decoder = decoding(model);
    decoder->step(std::vector<int32_t>(3, start));
    decoder->step(std::vector<int32_t>{4, 7, 2});
    decoder->select(std::vector<int64_t>{1, 1, 2});
    decoder->add({{3, 0, 6, 5, 0}, Ragged({2, 3})}, AttentionChoice());
    ASSERT_EQ(decoder->hypotheses(), 5);
    decoder->step(std::vector<int32_t>{1, 2, 3, start, start});
    const Tensor attention = decoder->attention();
    ASSERT_EQ(attention.present(), kind.attends);
    if (kind.attends) {
      ASSERT_EQ(attention.shape(), (Shape{5, 5}));
      for (int64_t i = 0; i < 5; ++i) {
        const std::vector<double> row = values_of(attention.slice(i, i + 1));
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), i < 3 ? 0 : 1, 1e-6);
      }
    }
    // The cohort of the first sentences goes, and another comes.
    decoder->select(std::vector<int64_t>{3, 4, 4});
    decoder->add({{9, 0}, Ragged({2})});
    const Tensor scores = decoder->step(std::vector<int32_t>{5, 6, 7, start});
    const TokenBatch kept{{3, 0, 6, 5, 0, 6, 5, 0, 9, 0}, Ragged({2, 3, 3, 2})};
    const auto expected = last_logits(model, kept, {{5, 0}, {6, 0}, {7, 0}, {0}});
    for (int64_t i = 0; i < 4; ++i)
      EXPECT_TRUE(
          close(values_of(scores.slice(i, i + 1)), expected[static_cast<size_t>(i)], 1e-5, 1e-5));
  });
}

// What a sentence gets does not depend on who joins, tolerance 0.
TEST(Decoder, OthersLeaveNoTrace) {
  for_every_kind([](const Model& model, const Kind&) {
    const auto last_scores = [&](bool in_company) {
      const std::shared_ptr<const Generator> generator = model.prepare(Precision::float32);
      const std::unique_ptr<Decoder> decoder = generator->make_decoder();
      std::vector<double> found;
      int64_t own = 0;
      if (in_company) {
        decoder->add(source);
        decoder->step(std::vector<int32_t>(3, start));
        own = 3;
      }
      decoder->add({{5, 3, 0}, Ragged({3})});
      for (int32_t step = 0; step < 5; ++step) {
        std::vector<int32_t> tokens(static_cast<size_t>(decoder->hypotheses()), 1);
        tokens[static_cast<size_t>(own)] = step == 0 ? start : step;
        found = values_of(decoder->step(tokens).slice(own, own + 1));
        if (in_company && step == 1) {
          decoder->add(source);
          for (int64_t i = 0; i < 3; ++i) tokens.push_back(start);
        }
        if (in_company && step == 2) {
          decoder->select(std::vector<int64_t>{1, 3, 4, 4, 6});
          own = 1;
        }
      }
      return found;
    };
    EXPECT_EQ(last_scores(true), last_scores(false));
  });
}

TEST(Decoder, SelectKeepsCopiesAndForgetsHypotheses) {
  for_every_kind([](const Model& model, const Kind&) {
    const Decoding decoder = decoding(model);
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
      EXPECT_TRUE(
          close(values_of(scores.slice(i, i + 1)), expected[static_cast<size_t>(i)], 1e-5, 1e-5));
    decoder->select({});
    EXPECT_EQ(decoder->hypotheses(), 0);
  });
}

TEST(Decoder, AttentionIsADistributionOverTheSentence) {
  for_every_kind([](const Model& model, const Kind& kind) {
    const Decoding decoder = decoding(model, AttentionChoice());
    decoder->step(std::vector<int32_t>(3, start));
    decoder->select(std::vector<int64_t>{1, 1, 2});
    // A recurrent decoder attends with the state before the step, so its copies differ one step
    // later.
    decoder->step(std::vector<int32_t>{3, 4, 5});
    decoder->step(std::vector<int32_t>{3, 4, 5});
    const Tensor weights = decoder->attention();
    ASSERT_EQ(weights.present(), kind.attends);
    if (!kind.attends) return;
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

TEST(Decoder, GivesAttentionOnlyWhereWanted) {
  for_every_kind([](const Model& model, const Kind&) {
    const Decoding decoder = decoding(model);
    decoder->step(std::vector<int32_t>(3, start));
    EXPECT_FALSE(decoder->attention().present());
  });
}

TEST(Decoder, RefusesWhatDoesNotFit) {
  for_every_kind([](const Model& model, const Kind&) {
    const Decoding decoder = decoding(model);
    EXPECT_EQ(error_of([&] {
                decoder->step(std::vector<int32_t>{1, 2});
              }),
              "decode: 2 tokens for 3 hypotheses");
    EXPECT_EQ(error_of([&] {
                decoder->step(std::vector<int32_t>{1, 2, 13});
              }),
              "decode: token 13 is not in a vocabulary of 13");
    EXPECT_EQ(error_of([&] {
                decoder->select(std::vector<int64_t>{0, 3});
              }),
              "decode: hypothesis 3 of 3 was asked for");
  });
}

// A model that does not read the ends of source sentences gives what it would for sentences without
// them.
TEST(Decoder, MayLeaveOutTheEndsOfTheSource) {
  TransformerConfig config = small_transformer();
  config.source_end = false;
  const std::unique_ptr<Model> model = model_of<Transformer>(config);
  const Decoding decoder = decoding(*model, AttentionChoice());
  const Tensor scores = decoder->step(std::vector<int32_t>(3, start));
  ASSERT_EQ(decoder->attention().shape(), (Shape{3, 5}));
  const std::vector<double> attention = values_of(decoder->attention());
  for (const size_t end_of_sentence : {size_t{2}, size_t{5 + 4}, size_t{10 + 1}})
    EXPECT_EQ(attention[end_of_sentence], 0);
  const auto expected = last_logits(*model, source, {{0}, {0}, {0}});
  config.source_end = true;
  const std::unique_ptr<Model> reader = model_of<Transformer>(config);
  const auto of_cut = last_logits(*reader, without_ends(source), {{0}, {0}, {0}});
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(
        close(values_of(scores.slice(i, i + 1)), expected[static_cast<size_t>(i)], 1e-5, 1e-5));
    EXPECT_TRUE(
        close(of_cut[static_cast<size_t>(i)], expected[static_cast<size_t>(i)], 1e-5, 1e-5));
  }
}

TEST(Decoder, EndsWhereLearnedPositionsEnd) {
  TransformerConfig config = small_transformer();
  config.positions = PositionKind::learned;
  config.context_length = 5;
  const std::unique_ptr<Model> model = model_of<Transformer>(config);
  const Decoding decoder = decoding(*model);
  for (int step = 0; step < 5; ++step) decoder->step(std::vector<int32_t>(3, start));
  EXPECT_EQ(error_of([&] { decoder->step(std::vector<int32_t>(3, start)); }),
            "add_positions: 1 positions from 5 on are needed but the table has 5");
}

TEST(Decoder, NeedsFloats) {
  const std::unique_ptr<Model> model = model_of<Rnn>(small_rnn());
  convert_parameters(*model, Type::float64);
  EXPECT_EQ(error_of([&] { decoding(*model); }), "weight of type float64 but float32 was expected");
}

}  // namespace
}  // namespace heed
