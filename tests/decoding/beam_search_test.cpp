#include "heed/decoding/beam_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chain_model.h"
#include "error_of.h"
#include "heed/decoding/session.h"
#include "heed/kernels/reference/top_k.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::error_of;

constexpr int32_t end_id = 0;

using Ids = std::vector<int32_t>;
using Sentences = std::vector<Ids>;

SentenceBounds bounds_of(const ChainModel& model) {
  return {.start = static_cast<int32_t>(model.vocabulary()) - 1, .end = end_id};
}

std::vector<std::vector<Hypothesis>> search(const ChainModel& model, const Sentences& source,
                                            const SearchOptions& options) {
  return search_translations(model, join_sentences(source), bounds_of(model), options);
}

// Sentences of different lengths that have nothing in common.
Sentences some_sentences(int count) {
  Sentences sentences;
  for (int32_t i = 0; i < count; ++i) {
    Ids ids(static_cast<size_t>(i * 5 % 7), i + 3);
    ids.push_back(end_id);
    sentences.push_back(ids);
  }
  return sentences;
}

std::vector<double> log_probabilities(const ChainModel& model, const Ids& source, Ids prefix) {
  prefix.insert(prefix.begin(), bounds_of(model).start);
  const std::vector<float> scores = model.scores(source, prefix);
  std::vector<double> found(scores.begin(), scores.end());
  const double normaliser = reference::log_sum_exp<double>(found);
  for (double& value : found) value -= normaliser;
  return found;
}

struct Plain {
  Ids ids;
  double log_probability;
  bool cut = false;  // at the maximum length, thus without an end
  double score(double penalty) const {
    return log_probability / std::pow(static_cast<double>(ids.size() + (cut ? 0 : 1)), penalty);
  }
};

void sort_by_score(std::vector<Plain>& list, double penalty) {
  std::stable_sort(list.begin(), list.end(), [&](const Plain& a, const Plain& b) {
    return a.score(penalty) > b.score(penalty);
  });
}

// Every translation of up to `longest` tokens; those of the full length are cut there.
void enumerate(const ChainModel& model, const Ids& source, const Plain& prefix, size_t longest,
               std::vector<Plain>& all) {
  const std::vector<double> next = log_probabilities(model, source, prefix.ids);
  for (int32_t id = 0; id < model.vocabulary(); ++id) {
    Plain extended{prefix.ids, prefix.log_probability + next[static_cast<size_t>(id)]};
    if (id != end_id) extended.ids.push_back(id);
    extended.cut = extended.ids.size() == longest;
    if (id == end_id || extended.cut)
      all.push_back(extended);
    else
      enumerate(model, source, extended, longest, all);
  }
}

// The definition, for one sentence: nothing shared, everything sorted.
std::vector<Plain> plain_beam_search(const ChainModel& model, const Ids& source, int beam,
                                     double penalty, size_t longest) {
  std::vector<Plain> live = {{{}, 0.0}}, ended;
  while (!live.empty() && ended.size() < static_cast<size_t>(beam)) {
    std::vector<std::pair<Plain, int32_t>> candidates;
    for (const Plain& hypothesis : live) {
      const std::vector<double> next = log_probabilities(model, source, hypothesis.ids);
      for (int32_t id = 0; id < model.vocabulary(); ++id)
        candidates.push_back(
            {{hypothesis.ids, hypothesis.log_probability + next[static_cast<size_t>(id)]}, id});
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.first.log_probability > b.first.log_probability;
    });
    live.clear();
    for (size_t rank = 0; rank < candidates.size(); ++rank) {
      auto [hypothesis, id] = candidates[rank];
      if (id != end_id) hypothesis.ids.push_back(id);
      hypothesis.cut = hypothesis.ids.size() == longest;
      const bool ends = id == end_id || hypothesis.cut;
      if (ends && rank < static_cast<size_t>(beam)) ended.push_back(hypothesis);
      if (!ends && live.size() < static_cast<size_t>(beam)) live.push_back(hypothesis);
    }
  }
  sort_by_score(ended, penalty);
  return ended;
}

void expect_same(const std::vector<Hypothesis>& found, const std::vector<Plain>& expected,
                 size_t count, double penalty) {
  ASSERT_EQ(found.size(), std::min(count, expected.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << "rank " << i;
    EXPECT_NEAR(found[i].log_probability, expected[i].log_probability, 1e-5) << "rank " << i;
    EXPECT_NEAR(found[i].score, expected[i].score(penalty), 1e-5) << "rank " << i;
  }
}

TEST(BeamSearch, AWideBeamFindsTheBestOfAll) {
  const ChainModel model(5);
  for (const Ids& source : some_sentences(4))
    for (const double penalty : {0.0, 0.6, 1.0}) {
      std::vector<Plain> all;
      enumerate(model, source, {{}, 0.0}, 4, all);
      sort_by_score(all, penalty);
      const SearchOptions options{
          .beam = 4000, .n_best = 20, .length_penalty = penalty, .max_length = 4, .min_length = 0};
      expect_same(search(model, {source}, options)[0], all, 20, penalty);
    }
}

TEST(BeamSearch, FollowsItsDefinition) {
  for (const int64_t vocabulary : {3, 12, 300}) {
    ChainModel model(vocabulary);
    model.bonuses[end_id] = vocabulary == 300 ? 4.0f : 1.0f;  // otherwise ends would be rare
    for (const Ids& source : some_sentences(8))
      for (const int beam : {1, 2, 3, 5, 8})
        for (const double penalty : {0.0, 1.0}) {
          SCOPED_TRACE(::testing::Message()
                       << vocabulary << " ids, beam " << beam << ", penalty " << penalty);
          const SearchOptions options{.beam = beam,
                                      .n_best = 1,
                                      .length_penalty = penalty,
                                      .max_ratio = 3,
                                      .min_length = 0};
          const std::vector<Plain> expected =
              plain_beam_search(model, source, beam, penalty, 3 * source.size());
          expect_same(search(model, {source}, options)[0], expected, 1, penalty);
          // All that a search ends with: then it may not stop before the beam is full of ends.
          SearchOptions everything = options;
          everything.n_best = beam;
          expect_same(search(model, {source}, everything)[0], expected, static_cast<size_t>(beam),
                      penalty);
        }
  }
}

// Marian's search: each end takes a place of the beam away, nothing stops before the last, and what
// is forbidden keeps its share of the probability.
std::vector<Plain> plain_narrowing_search(const ChainModel& model, const Ids& source, size_t beam,
                                          double penalty, size_t longest, int32_t forbidden) {
  std::vector<Plain> live = {{{}, 0.0}}, ended;
  while (!live.empty()) {
    std::vector<std::pair<Plain, int32_t>> candidates;
    for (const Plain& hypothesis : live) {
      const std::vector<double> next = log_probabilities(model, source, hypothesis.ids);
      for (int32_t id = 0; id < model.vocabulary(); ++id)
        if (id != forbidden)
          candidates.push_back(
              {{hypothesis.ids, hypothesis.log_probability + next[static_cast<size_t>(id)]}, id});
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return a.first.log_probability > b.first.log_probability;
    });
    candidates.resize(std::min(candidates.size(), beam));
    live.clear();
    for (auto& [hypothesis, id] : candidates) {
      if (id != end_id) hypothesis.ids.push_back(id);
      hypothesis.cut = hypothesis.ids.size() == longest;
      (id == end_id || hypothesis.cut ? ended : live).push_back(hypothesis);
    }
    beam = live.size();
  }
  sort_by_score(ended, penalty);
  return ended;
}

TEST(BeamSearch, MayNarrowAsInMarian) {
  for (const int64_t vocabulary : {4, 12, 300}) {
    ChainModel model(vocabulary);
    model.bonuses[end_id] = vocabulary == 300 ? 4.0f : 1.0f;
    for (const Ids& source : some_sentences(8))
      for (const int beam : {1, 2, 3, 5, 8})
        for (const double penalty : {0.0, 1.0}) {
          SCOPED_TRACE(::testing::Message()
                       << vocabulary << " ids, beam " << beam << ", penalty " << penalty);
          const SearchOptions options{.beam = beam,
                                      .n_best = beam,
                                      .length_penalty = penalty,
                                      .narrowing = true,
                                      .max_ratio = 3,
                                      .min_length = 0,
                                      .forbidden = {2}};
          const std::vector<Plain> expected = plain_narrowing_search(
              model, source, static_cast<size_t>(beam), penalty, 3 * source.size(), 2);
          expect_same(search(model, {source}, options)[0], expected, static_cast<size_t>(beam),
                      penalty);
        }
  }
}

TEST(BeamSearch, ABeamOfOneIsGreedy) {
  ChainModel model(20);
  model.bonuses[end_id] = 1.5f;
  for (const Ids& source : some_sentences(10)) {
    Ids greedy;
    double log_probability = 0;
    while (greedy.size() < 30) {
      const std::vector<double> next = log_probabilities(model, source, greedy);
      const auto best = std::max_element(next.begin(), next.end());
      log_probability += *best;
      if (best == next.begin()) break;
      greedy.push_back(static_cast<int32_t>(best - next.begin()));
    }
    model.moved_decoders = 0;
    const auto found = search(model, {source}, {.beam = 1, .max_length = 30, .min_length = 0});
    ASSERT_EQ(found[0].size(), 1u);
    EXPECT_EQ(found[0][0].ids, greedy);
    EXPECT_NEAR(found[0][0].log_probability, log_probability, 1e-4);
    EXPECT_EQ(model.moved_decoders, 0);
  }
}

TEST(BeamSearch, ABatchGivesWhatItsSentencesGive) {
  ChainModel model(15);
  model.bonuses[end_id] = 1.0f;
  const Sentences sentences = some_sentences(17);
  for (const int beam : {1, 4}) {
    const SearchOptions options{.beam = beam, .n_best = beam, .want_attention = true};
    const auto together = search(model, sentences, options);
    ASSERT_EQ(together.size(), sentences.size());
    for (size_t i = 0; i < sentences.size(); ++i) {
      const auto alone = search(model, {sentences[i]}, options)[0];
      ASSERT_EQ(together[i].size(), alone.size());
      for (size_t rank = 0; rank < alone.size(); ++rank) {
        EXPECT_EQ(together[i][rank].ids, alone[rank].ids);
        EXPECT_EQ(together[i][rank].score, alone[rank].score);
        EXPECT_EQ(together[i][rank].log_probability, alone[rank].log_probability);
        EXPECT_EQ(testing::values_of(together[i][rank].attention),
                  testing::values_of(alone[rank].attention));
      }
    }
  }
}

TEST(BeamSearch, AnEmptyBatchGivesNothing) { EXPECT_TRUE(search(ChainModel(5), {}, {}).empty()); }

// Continuing is likelier than ending at every step, but a whole sentence is not likelier than none.
TEST(BeamSearch, TheLengthPenaltyFavoursTheLong) {
  ChainModel model(4, 0.0);
  model.bonuses = {{0, -1.0f}, {2, -50.0f}, {3, -50.0f}};  // end: 0.27, id 1: 0.73, the rest: never
  const auto best = [&](double penalty) {
    const SearchOptions options{
        .beam = 3, .length_penalty = penalty, .patience = 2, .max_length = 5, .min_length = 0};
    return search(model, {{end_id}}, options)[0][0];
  };
  const double end = -std::log1p(std::exp(1.0)), go_on = -std::log1p(std::exp(-1.0));
  EXPECT_EQ(best(0).ids, Ids{});
  EXPECT_NEAR(best(0).score, end, 1e-6);
  EXPECT_EQ(best(1).ids, Ids(5, 1));
  EXPECT_NEAR(best(1).score, go_on, 1e-6);
  EXPECT_NEAR(best(1).log_probability, 5 * go_on, 1e-6);
}

TEST(BeamSearch, KeepsToTheLengths) {
  ChainModel model(6);
  const auto lengths = [&](const SearchOptions& options) {
    std::pair<size_t, size_t> found = {1000, 0};
    for (const auto& list : search(model, some_sentences(9), options))
      for (const Hypothesis& hypothesis : list) {
        found.first = std::min(found.first, hypothesis.ids.size());
        found.second = std::max(found.second, hypothesis.ids.size());
        EXPECT_TRUE(std::isfinite(hypothesis.score));
      }
    return found;
  };
  model.bonuses[end_id] = 6.0f;
  EXPECT_EQ(lengths({.beam = 3, .n_best = 3}).first, 1u);
  EXPECT_EQ(lengths({.beam = 3, .n_best = 3, .min_length = 0}).first, 0u);
  EXPECT_EQ(lengths({.beam = 3, .n_best = 3, .min_length = 4}).first, 4u);
  model.bonuses[end_id] = -9.0f;
  // The longest of the sentences has seven tokens. The trained lengths are unknown.
  EXPECT_EQ(lengths({.beam = 3, .n_best = 3}).second, 256u);
  EXPECT_EQ(lengths({.beam = 3, .max_ratio = 1.5}).second, 11u);
  EXPECT_EQ(lengths({.beam = 3, .max_length = 1}).second, 1u);
  EXPECT_EQ(lengths({.beam = 3, .max_length = 9, .max_ratio = 1.5}).second, 9u);
  EXPECT_EQ(lengths({.beam = 3, .max_length = 300}).second, 300u);
  EXPECT_EQ(lengths({.beam = 3, .lengths = {7, 20, 3}}).second, 40u);  // 1.5 * 20 + 10
  EXPECT_EQ(lengths({.beam = 3, .max_length = 300, .lengths = {7, 20, 3}}).second, 300u);
  EXPECT_EQ(lengths({.beam = 3, .max_length = 300, .context_length = 12}).second, 12u);
}

TEST(BeamSearch, SaysWhatWasCut) {
  ChainModel model(6);
  const auto are_cut = [&](const SearchOptions& options) {
    const auto found = options.sampling
                           ? search_translations(model, join_sentences(Sentences{{3, end_id}}),
                                                 bounds_of(model), options)
                           : search(model, {{3, end_id}}, options);
    return found[0][0].cut;
  };
  for (const std::optional<Sampling> sampling : {std::optional<Sampling>(), {Sampling{}}}) {
    model.bonuses[end_id] = -50.0f;
    EXPECT_TRUE(are_cut({.beam = 2, .max_length = 9, .sampling = sampling}));
    model.bonuses[end_id] = 50.0f;
    EXPECT_FALSE(are_cut({.beam = 2, .max_length = 9, .sampling = sampling}));
  }
}

TEST(BeamSearch, NeverProposesWhatIsForbidden) {
  ChainModel model(6);
  model.bonuses = {{2, 5.0f}, {end_id, 1.0f}};
  const auto uses_two = [&](const SearchOptions& options) {
    for (const auto& list : search(model, some_sentences(9), options))
      for (const Hypothesis& hypothesis : list)
        if (std::ranges::count(hypothesis.ids, 2) > 0) return true;
    return false;
  };
  EXPECT_TRUE(uses_two({.n_best = 5}));
  EXPECT_FALSE(uses_two({.n_best = 5, .forbidden = {2, 5}}));
}

TEST(BeamSearch, StopsWhenNothingBetterCanCome) {
  ChainModel model(30);
  model.bonuses[end_id] = 4.0f;
  const auto rows = [&](const SearchOptions& options) {
    model.scored_rows = 0;
    search(model, some_sentences(5), options);
    return model.scored_rows.load();
  };
  const int64_t until_full = rows({.beam = 4, .n_best = 4, .length_penalty = 0});
  EXPECT_LT(rows({.beam = 4, .n_best = 1, .length_penalty = 0}), until_full);
  EXPECT_GT(rows({.beam = 4, .n_best = 4, .length_penalty = 0, .patience = 3}), until_full);
}

TEST(BeamSearch, AttentionBelongsToItsToken) {
  ChainModel model(8);
  model.bonuses[end_id] = 0.5f;
  const Sentences sentences = some_sentences(6);
  const auto found = search(model, sentences, {.beam = 3, .n_best = 3, .want_attention = true});
  for (size_t i = 0; i < sentences.size(); ++i)
    for (const Hypothesis& hypothesis : found[i]) {
      const auto source_tokens = static_cast<int64_t>(sentences[i].size());
      ASSERT_EQ(hypothesis.attention.shape(),
                (Shape{static_cast<int64_t>(hypothesis.ids.size()), source_tokens}));
      Ids before = {bounds_of(model).start};
      for (size_t t = 0; t < hypothesis.ids.size(); ++t) {
        for (int64_t s = 0; s < source_tokens; ++s)
          EXPECT_EQ(hypothesis.attention[static_cast<int64_t>(t) * source_tokens + s],
                    static_cast<double>(ChainModel::weight(before, s)));
        before.push_back(hypothesis.ids[t]);
      }
    }
  EXPECT_FALSE(search(model, sentences, {})[0][0].attention.present());
}

// Every token is equally likely. The vocabulary is smaller than the beam and leaves places empty.
TEST(BeamSearch, TiesGoToTheLowerId) {
  const ChainModel model(3, 0.0);
  const SearchOptions options{.beam = 7, .n_best = 7, .max_length = 2, .min_length = 0};
  std::vector<Ids> found;
  const std::vector<Hypothesis> ranked = search(model, {{end_id}}, options)[0];
  for (const Hypothesis& hypothesis : ranked) found.push_back(hypothesis.ids);
  EXPECT_EQ(found, (std::vector<Ids>{{}, {1}, {1, 1}, {1, 2}, {2}, {2, 1}, {2, 2}}));
}

// A prefix has the probability that the model gives it, and the search continues as if it had found
// the prefix itself.
TEST(BeamSearch, BeginsWithThePrefix) {
  const ChainModel model(6);
  const Ids source = {4, 3, end_id}, prefix = {2, 2, 1};
  const SearchOptions options{.beam = 3, .n_best = 3};
  const auto found = search_translations(model, join_sentences(Sentences{source, source}),
                                         bounds_of(model), options, Sentences{prefix, {}});
  ASSERT_EQ(found[0].size(), 3u);
  for (const Hypothesis& hypothesis : found[0]) {
    ASSERT_GE(hypothesis.ids.size(), 3u);
    EXPECT_EQ(Ids(hypothesis.ids.begin(), hypothesis.ids.begin() + 3), prefix);
    double expected = 0;
    Ids so_far, all = hypothesis.ids;
    all.push_back(end_id);
    for (const int32_t id : all) {
      expected += log_probabilities(model, source, so_far)[static_cast<size_t>(id)];
      so_far.push_back(id);
    }
    EXPECT_NEAR(hypothesis.log_probability, expected, 1e-4);
  }
  // The other sentence has none, and a prefix that would have been found anyway changes nothing.
  const auto free = search(model, {source}, options)[0];
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(found[1][i].ids, free[i].ids);
  const auto same =
      search_translations(model, join_sentences(Sentences{source}), bounds_of(model), {.beam = 1},
                          Sentences{search(model, {source}, {.beam = 1})[0][0].ids});
  EXPECT_EQ(same[0][0].ids, search(model, {source}, {.beam = 1})[0][0].ids);
}

TEST(BeamSearch, BranchesAfterThePrefixAndGoesOnGreedily) {
  const ChainModel model(9, 4);
  const Ids source = {2, 5, end_id};
  const Sentences prefixes = {{3, 1}};
  const auto found =
      search_translations(model, join_sentences(Sentences{source}), bounds_of(model),
                          {.beam = 4, .n_best = 4, .max_length = 8, .branch = true}, prefixes);
  ASSERT_EQ(found[0].size(), 4u);
  std::vector<std::pair<double, int32_t>> ranked;
  const std::vector<double> next = log_probabilities(model, source, prefixes[0]);
  for (int32_t id = 0; id < model.vocabulary(); ++id) ranked.push_back({-next[id], id});
  std::ranges::sort(ranked);
  std::vector<int32_t> firsts;
  for (const Hypothesis& hypothesis : found[0]) {
    const Ids& ids = hypothesis.ids;
    ASSERT_GE(ids.size(), 2u);
    EXPECT_EQ(Ids(ids.begin(), ids.begin() + 2), prefixes[0]);
    firsts.push_back(ids.size() > 2 ? ids[2] : end_id);
    // From there on, always the likeliest token.
    for (size_t i = 3; i <= ids.size() && i < 8; ++i) {
      const std::vector<double> scores =
          log_probabilities(model, source, Ids(ids.begin(), ids.begin() + i));
      const auto best = std::ranges::max_element(scores) - scores.begin();
      EXPECT_EQ(best, i < ids.size() ? ids[i] : end_id);
    }
  }
  std::ranges::sort(firsts);
  Ids likeliest;
  for (size_t i = 0; i < 4; ++i) likeliest.push_back(ranked[i].second);
  std::ranges::sort(likeliest);
  EXPECT_EQ(firsts, likeliest);
}

// A prefix longer than the limit is kept whole, and nothing follows it.
TEST(BeamSearch, APrefixIsForcedWhateverTheModelAndTheLimitSay) {
  ChainModel model(6);
  model.bonuses[4] = -std::numeric_limits<float>::infinity();
  const Ids prefix(30, 4);
  for (const bool samples : {false, true}) {
    SearchOptions options{.max_length = 1, .forbidden = {4}};
    if (samples) options.sampling = Sampling{};
    const auto found = search_translations(model, join_sentences(Sentences{{3, end_id}}),
                                           bounds_of(model), options, Sentences{prefix});
    ASSERT_EQ(found[0].size(), 1u);
    EXPECT_EQ(found[0][0].ids, prefix);
    EXPECT_TRUE(found[0][0].cut);
    EXPECT_NE(error_of([&] {
                search_translations(model, join_sentences(Sentences{{3, 0}}), bounds_of(model),
                                    options, Sentences{{1}, {2}});
              }).find("2 prefixes for 1 sentences"),
              std::string::npos);
  }
}

TEST(BeamSearch, TheMinimumLengthHasRoom) {
  const ChainModel model(6);
  const SearchOptions options{.beam = 2, .max_ratio = 1, .min_length = 12};
  EXPECT_GE(search(model, {{3, end_id}}, options)[0][0].ids.size(), 12u);
}

TEST(BeamSearch, EndsWhereTheRulesLeaveNothing) {
  const ChainModel model(6);
  const SearchOptions options{.beam = 2, .min_length = 50, .no_repeat_ngram = 1};
  const Ids found = search(model, {Ids(20, 3)}, options)[0][0].ids;
  EXPECT_EQ(found.size(), 5u);  // each of the five once
  SearchOptions samples = options;
  samples.sampling = Sampling{};
  EXPECT_EQ(search_translations(model, join_sentences(Sentences{Ids(20, 3)}), bounds_of(model),
                                samples)[0][0]
                .ids.size(),
            5u);
}

TEST(BeamSearch, SaysWhatIsWrong) {
  ChainModel model(5);
  const auto error = [&](const SearchOptions& options) {
    return error_of([&] { search(model, {{end_id}}, options); });
  };
  EXPECT_EQ(error({.beam = 0}), "beam search: a beam of 0, but it must be at least 1");
  EXPECT_EQ(error({.beam = 2, .n_best = 3}),
            "beam search: the 3 best were requested from a beam of 2");
  EXPECT_EQ(error({.length_penalty = -1}),
            "beam search: a length penalty of -1, but it must be 0 or more");
  EXPECT_EQ(error({.patience = 0}), "beam search: a patience of 0, but it must be more than 0");
  EXPECT_EQ(error({.max_ratio = 0}),
            "beam search: a maximum ratio of 0, but it must be more than 0");
  EXPECT_EQ(error({.max_length = 0, .min_length = 0}),
            "beam search: a maximum length of 0, but it must be at least 1");
  EXPECT_EQ(error({.max_length = 10, .min_length = 11}),
            "beam search: a minimum length of 11 and a maximum of 10");
  EXPECT_EQ(error({.no_repeat_ngram = -1}),
            "beam search: no repeated n-grams of -1 tokens, but it must be 0 or more");
  EXPECT_EQ(error({.repetition_penalty = 0}),
            "beam search: a repetition penalty of 0, but it must be more than 0");
  EXPECT_EQ(error({.branch = true, .sampling = Sampling{}}),
            "beam search: samples were requested, but also hypotheses that branch");
  EXPECT_EQ(error({.forbidden = {5}}), "beam search: id 5 is forbidden, but the vocabulary has 5");
  EXPECT_EQ(error_of([&] {
              search_translations(model, join_sentences(Sentences{{0}}), {.start = 5, .end = 0},
                                  {});
            }),
            "search: sentences start with id 5 and end with id 0, but the vocabulary has 5");
  model.bonuses[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error({}), "beam search: the model's scores of the next token are not numbers");
}

}  // namespace
}  // namespace heed
