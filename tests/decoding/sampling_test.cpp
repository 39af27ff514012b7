#include "heed/decoding/sampling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "chain_model.h"
#include "error_of.h"
#include "heed/decoding/session.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::error_of;

using Ids = std::vector<int32_t>;
using Sentences = std::vector<Ids>;

SentenceBounds bounds_of(const ChainModel& model) {
  return {.start = static_cast<int32_t>(model.vocabulary()) - 1, .end = 0};
}

std::vector<std::vector<Hypothesis>> sample(const ChainModel& model, const Sentences& source,
                                            const SearchOptions& options,
                                            TargetPrefixes prefixes = {}) {
  return search_translations(model, join_sentences(source), bounds_of(model), options, prefixes);
}

TEST(DrawToken, FollowsTheDistribution) {
  const std::vector<float> scores = {std::log(0.1f), std::log(0.2f), std::log(0.3f),
                                     std::log(0.4f)};
  const auto shares = [&](const Sampling& sampling) {
    std::vector<double> counts(4);
    for (int i = 0; i < 1000; ++i)
      counts[static_cast<size_t>(draw_token(scores, sampling, i / 1000.0))] += 0.001;
    return counts;
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& expected) {
    for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 0.002) << i;
  };
  expect(shares({}), {0.1, 0.2, 0.3, 0.4});
  expect(shares({.top_k = 2}), {0, 0, 3 / 7.0, 4 / 7.0});
  expect(shares({.top_k = 1}), {0, 0, 0, 1});
  expect(shares({.top_p = 0.65}), {0, 0, 3 / 7.0, 4 / 7.0});
  expect(shares({.top_p = 0.75}), {0, 2 / 9.0, 3 / 9.0, 4 / 9.0});
  expect(shares({.top_p = 1e-6}), {0, 0, 0, 1});
  expect(shares({.temperature = 0.5}), {1 / 30.0, 4 / 30.0, 9 / 30.0, 16 / 30.0});
}

TEST(DrawToken, NeverDrawsTheImpossible) {
  const float never = -std::numeric_limits<float>::infinity();
  for (const double number : {0.0, 0.5, 0.999999999})
    EXPECT_EQ(draw_token(std::vector<float>{never, 1.0f, never}, {}, number), 1);
}

TEST(Sampling, DependsOnTheSentenceAndTheSeedOnly) {
  const ChainModel model(11);
  SearchOptions options{.n_best = 3, .sampling = Sampling{}};
  const Sentences sentences = {{3, 4, 0}, {5, 0}, {3, 4, 0}, {6, 7, 8, 0}};
  const auto together = sample(model, sentences, options);
  for (size_t s = 0; s < sentences.size(); ++s) {
    const auto alone = sample(model, {sentences[s]}, options);
    ASSERT_EQ(alone[0].size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(together[s][i].ids, alone[0][i].ids);
      EXPECT_EQ(together[s][i].log_probability, alone[0][i].log_probability);
    }
  }
  options.sampling->seed = 2;
  EXPECT_NE(sample(model, {sentences[0]}, options)[0][0].ids, together[0][0].ids);
}

// The likeliest token every time is greedy search; and the log-probabilities are those of the
// model, at any temperature.
TEST(Sampling, TellsTheModelsOwnProbabilities) {
  const ChainModel model(11);
  for (const Sampling& sampling :
       {Sampling{.top_k = 1}, Sampling{.temperature = 3}, Sampling{.top_p = 0.5}}) {
    const auto samples = sample(
        model, {{3, 4, 0}}, {.n_best = 4, .max_length = 19, .min_length = 0, .sampling = sampling});
    for (const Hypothesis& found : samples[0]) {
      Ids tokens = {bounds_of(model).start};
      double expected = 0;
      Ids ids = found.ids;
      if (!found.cut) ids.push_back(0);
      for (const int32_t id : ids) {
        const std::vector<float> scores = model.scores(Ids{3, 4, 0}, tokens);
        double sum = 0;
        for (const float score : scores) sum += std::exp(static_cast<double>(score));
        expected += static_cast<double>(scores[static_cast<size_t>(id)]) - std::log(sum);
        tokens.push_back(id);
      }
      EXPECT_NEAR(found.log_probability, expected, 1e-4);
      EXPECT_NEAR(found.score, expected / static_cast<double>(ids.size()), 1e-5);
    }
  }
}

TEST(Sampling, KeepsTheRulesAndThePrefixes) {
  const ChainModel model(6);
  const Sentences prefixes = {{2, 2, 3}, {}};
  const SearchOptions options{
      .n_best = 20, .min_length = 5, .forbidden = {4}, .sampling = Sampling{}};
  const auto found = sample(model, {{3, 0}, {4, 0}}, options, prefixes);
  for (const Hypothesis& sample : found[0])
    EXPECT_EQ(Ids(sample.ids.begin(), sample.ids.begin() + 3), prefixes[0]);
  for (const auto& samples : found)
    for (const Hypothesis& sample : samples) {
      EXPECT_GE(sample.ids.size(), 5u);
      EXPECT_EQ(std::ranges::count(sample.ids, 4), 0);
    }
}

TEST(Sampling, RefusesWhatCannotBe) {
  const ChainModel model(6);
  const auto error = [&](const Sampling& sampling) {
    return error_of([&] { sample(model, {{3, 0}}, {.sampling = sampling}); });
  };
  EXPECT_EQ(error({.temperature = 0}), "sampling: a temperature of 0, but it must be more than 0");
  EXPECT_EQ(error({.top_k = -1}), "sampling: top k of -1, but it must be 0 or more");
  EXPECT_EQ(error({.top_p = 0}), "sampling: top p of 0 but 0 < p <= 1 was expected");
}

}  // namespace
}  // namespace heed
