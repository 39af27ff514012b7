#include "heed/decoding/scoring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "error_of.h"
#include "heed/models/model_config.h"
#include "small_language_model.h"
#include "small_vocabulary.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::error_of;
using testing::made_up_sentences;
using testing::small_vocabulary;
using testing::values_of;

std::unique_ptr<Model> small_model() {
  Rng rng(3);
  const int64_t vocabulary = small_vocabulary().size();
  return make_model(TransformerConfig{.source_vocabulary = vocabulary,
                                      .target_vocabulary = vocabulary,
                                      .encoder_layers = 1,
                                      .decoder_layers = 1,
                                      .width = 16,
                                      .ffn = 24,
                                      .heads = 2},
                    rng);
}

TEST(Scoring, ReadsTagsInFrontOfTheSources) {
  const auto model = small_model();
  Workers workers(2);
  const std::vector<std::string> sources = {"ko ri", "zu"}, targets = {"ba", "ko"};
  const auto scores = [&](const std::vector<std::string>& source, std::span<const TagIds> tags) {
    std::vector<double> found;
    for (const LineScore& score : score_lines(*model, small_vocabulary(), small_vocabulary(),
                                              source, targets, workers, {.tags = tags}))
      found.push_back(score.log_probability);
    return found;
  };
  const std::vector<TagIds> one = {small_vocabulary().encode("ba")},
                            own = {{}, small_vocabulary().encode("ba")};
  using Lines = std::vector<std::string>;
  EXPECT_EQ(scores(sources, one), scores(Lines{"ba ko ri", "ba zu"}, {}));
  EXPECT_EQ(scores(sources, own), scores(Lines{"ko ri", "ba zu"}, {}));
}

TEST(Scoring, IsTheLogarithmOfTheSoftmax) {
  const auto model = small_model();
  const Batch batch = {{{5, 6, 0, 7, 0}, Ragged({3, 2})},
                       {{9, 8, 0, 11, 12, 13, 0}, Ragged({3, 4})}};
  Tape tape({.record = false});
  const std::vector<double> scores = values_of(logits(tape, *model, batch).value());
  const size_t vocabulary = static_cast<size_t>(small_vocabulary().size());
  const std::vector<TokenScores> found = score_pairs(*model, batch);
  ASSERT_EQ(found.size(), 2u);
  ASSERT_EQ(found[0].size(), 3u);
  ASSERT_EQ(found[1].size(), 4u);
  for (size_t t = 0; t < 7; ++t) {
    double sum = 0;
    for (size_t c = 0; c < vocabulary; ++c) sum += std::exp(scores[t * vocabulary + c]);
    const double expected =
        scores[t * vocabulary + static_cast<size_t>(batch.target.ids[t])] - std::log(sum);
    EXPECT_NEAR(t < 3 ? found[0][t] : found[1][t - 3], expected, 1e-5);
  }
}

TEST(Scoring, WordsAreTheirPiecesTogether) {
  const Vocabulary& vocabulary = small_vocabulary();
  std::vector<int32_t> ids = vocabulary.encode("müllo bakori ba");
  ids.push_back(Vocabulary::end);
  TokenScores scores(ids.size());
  std::iota(scores.begin(), scores.end(), 1.0);
  const std::vector<double> words = word_scores(scores, ids, vocabulary);
  EXPECT_EQ(words.size(), 4u);
  EXPECT_EQ(words.back(), static_cast<double>(ids.size()));
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0.0),
            std::accumulate(scores.begin(), scores.end(), 0.0));
}

TEST(Scoring, LinesDoNotDependOnEachOther) {
  const auto model = small_model();
  std::vector<std::string> source = made_up_sentences(60), target = made_up_sentences(60);
  std::ranges::reverse(target);
  source[7] = target[9] = "";
  for (const int threads : {1, 3}) {
    Workers workers(threads);
    const auto all =
        score_lines(*model, small_vocabulary(), small_vocabulary(), source, target, workers);
    ASSERT_EQ(all.size(), 60u);
    for (const size_t i : {0u, 7u, 9u, 59u}) {
      const auto alone =
          score_lines(*model, small_vocabulary(), small_vocabulary(),
                      std::span(source).subspan(i, 1), std::span(target).subspan(i, 1), workers);
      EXPECT_NEAR(all[i].log_probability, alone[0].log_probability, 1e-4);
      EXPECT_EQ(all[i].tokens, alone[0].tokens);
      EXPECT_EQ(all[i].words.size(), alone[0].words.size());
    }
  }
}

// Attention over this many tokens would take minutes, and over ten times as many, hours.
TEST(Scoring, RefusesLinesThatAreTooLong) {
  const auto model = small_model();
  const std::vector<std::string> short_lines = {"ba", "ko"};
  std::vector<std::string> long_lines = {"ba", "ko"};
  for (int i = 0; i < 200000; ++i) long_lines[1] += " ba";
  Workers workers(1);
  const auto score = [&](const auto& source, const auto& target, const ScoringOptions& options) {
    return score_lines(*model, small_vocabulary(), small_vocabulary(), source, target, workers,
                       options);
  };
  const size_t tokens = small_vocabulary().encode(long_lines[1]).size() + 1;
  for (const auto& [source, target] :
       {std::pair(long_lines, short_lines), std::pair(short_lines, long_lines)})
    EXPECT_EQ(error_of([&] { score(source, target, {.first = 10}); }),
              fmt::format("score: pair 11 has {} tokens, but at most 8192 are scored", tokens));
  const auto end_and_word = static_cast<int64_t>(small_vocabulary().encode("ba").size()) + 1;
  EXPECT_EQ(score(short_lines, short_lines, {.max_length = end_and_word}).size(), 2u);
  EXPECT_THROW(score(short_lines, short_lines, {.max_length = end_and_word - 1}), Error);
}

// They would go on into sums and tables.
TEST(Scoring, RefusesScoresThatAreNoNumbers) {
  const Batch batch = {{{5, 6, 0}, Ragged({3})}, {{9, 8, 0}, Ragged({3})}};
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto model = small_model();
    model->visit_parameters({}, [&](const std::string& name, Tensor& value) {
      if (name == "final_logits_bias") value.fill(odd);
    });
    EXPECT_EQ(error_of([&] { score_pairs(*model, batch); }),
              "score: the model's scores of a token are not numbers");
  }
}

std::string made_up_text(uint64_t sentences) {
  std::string text;
  for (uint64_t i = 0; i < sentences; ++i) text += testing::made_up_sentence(i) + " ";
  return text;
}

// Tokens with the same text before them, each scored in a window of its own.
TEST(ScoreDocument, ATokenIsScoredGivenHalfOfTheContextOrMore) {
  constexpr int64_t context = 24, half = context / 2;
  const ModelFolder folder = testing::small_language_model(context);
  Workers workers(2);
  const std::string text = made_up_text(6);
  const TextScore found = score_document(*folder.model, folder.target, text, workers);
  ASSERT_GT(std::ssize(found.ids), 3 * context);
  ASSERT_EQ(found.tokens.size(), found.ids.size());
  EXPECT_EQ(found.ids.back(), Vocabulary::end);
  for (int64_t i = 0; i < std::ssize(found.ids); ++i) {
    // What stands before the window of this token, as far as the window reads it.
    const int64_t begin = std::max<int64_t>(0, i / half * half - half - 1);
    const std::vector<int32_t> read(found.ids.begin() + begin, found.ids.begin() + i + 1);
    const bool whole = begin == 0;
    const std::vector<int32_t> scored(read.begin() + (whole ? 0 : 1), read.end());
    const Batch batch = {
        {}, join_sentences(std::span(&scored, 1)), {whole ? start_token : read.front()}};
    EXPECT_NEAR(found.tokens[i], score_pairs(*folder.model, batch).front().back(), 1e-5) << i;
  }
}

TEST(ScoreDocument, IsTheSameOnAnyNumberOfThreads) {
  const ModelFolder folder = testing::small_language_model();
  Workers one(1), three(3);
  const std::string text = made_up_text(9);
  EXPECT_EQ(score_document(*folder.model, folder.target, text, one).tokens,
            score_document(*folder.model, folder.target, text, three).tokens);
}

TEST(ScoreDocument, AnEmptyTextOnlyEnds) {
  const ModelFolder folder = testing::small_language_model();
  Workers workers(1);
  const TextScore found = score_document(*folder.model, folder.target, "", workers);
  EXPECT_EQ(found.ids, std::vector{Vocabulary::end});
  EXPECT_LT(found.tokens.at(0), 0);
}

}  // namespace
}  // namespace heed
