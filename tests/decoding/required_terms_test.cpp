#include "heed/decoding/required_terms.h"

#include <gtest/gtest.h>

#include "chain_model.h"
#include "error_of.h"
#include "heed/decoding/beam_search.h"
#include "heed/decoding/session.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::ChainModel;
using Ids = std::vector<int32_t>;

// Tokens below 5 begin a word, the others go on with one.
RequiredTerms terms_of(std::vector<std::vector<Ids>> terms, bool needs_word_end = true) {
  RequiredTerms required;
  for (std::vector<Ids>& forms : terms) {
    required.terms.emplace_back();
    for (Ids& ids : forms) required.terms.back().push_back({std::move(ids), needs_word_end});
  }
  required.word_begins = std::make_shared<const WordBegins>(
      WordBegins{true, true, true, true, true, false, false, false, false});
  return required;
}

TermProgress progress_with(const RequiredTerms& terms, const Ids& ids) {
  TermProgress progress(terms);
  for (const int32_t id : ids) progress = progress.extended(id);
  return progress;
}

int64_t met(const RequiredTerms& terms, const Ids& ids) { return progress_with(terms, ids).met(); }

TEST(TermProgress, WithoutTermsEverythingIsComplete) {
  EXPECT_TRUE(TermProgress().is_complete());
  EXPECT_TRUE(TermProgress().extended(3).is_complete());
  EXPECT_EQ(TermProgress().wanted(), Ids{});
}

TEST(TermProgress, ATermEndsWithItsWord) {
  const RequiredTerms terms = terms_of({{{2, 5}}});
  EXPECT_EQ(met(terms, {2}), 0);
  EXPECT_EQ(met(terms, {2, 5}), 1);     // the sentence may end here
  EXPECT_EQ(met(terms, {2, 5, 6}), 0);  // its word goes on
  EXPECT_EQ(met(terms, {2, 5, 3}), 1);
  EXPECT_EQ(met(terms, {1, 2, 5, 3, 6, 7}), 1);
  EXPECT_EQ(met(terms, {2, 6, 2, 5}), 1);
  EXPECT_EQ(met(terms, {2, 2, 5}), 1);
}

TEST(TermProgress, ATermMayNotNeedAWordsEnd) {
  EXPECT_EQ(met(terms_of({{{2, 5}}}, false), {2, 5, 6}), 1);
}

TEST(TermProgress, OneFormIsEnough) {
  const RequiredTerms terms = terms_of({{{2, 5}, {2, 5, 6}, {3}}});
  EXPECT_EQ(met(terms, {2, 5, 6}), 1);
  EXPECT_EQ(met(terms, {3}), 1);
  EXPECT_EQ(met(terms, {3, 2, 5}), 1);  // and no more than once
}

TEST(TermProgress, TermsMayBeginAlike) {
  const RequiredTerms terms = terms_of({{{2, 5}}, {{2, 6}}});
  EXPECT_EQ(met(terms, {2, 6, 2, 5}), 2);
  EXPECT_EQ(met(terms, {2, 5, 2, 5}), 1);
  EXPECT_TRUE(progress_with(terms, {2, 6, 2, 5}).is_complete());
}

TEST(TermProgress, WantsWhatBringsItFurther) {
  const RequiredTerms terms = terms_of({{{2, 5}, {2, 6}}, {{3}}});
  EXPECT_EQ(TermProgress(terms).wanted(), (Ids{2, 3}));
  EXPECT_EQ(progress_with(terms, {2}).wanted(), (Ids{5, 6}));
  EXPECT_EQ(progress_with(terms, {2, 6}).wanted(), (Ids{3}));
  EXPECT_EQ(progress_with(terms, {2, 6, 3}).wanted(), Ids{});
}

TEST(TermProgress, LevelsGrowWithTokens) {
  const RequiredTerms terms = terms_of({{{2, 5}, {4}}, {{3}}});
  EXPECT_EQ(terms.tokens(), 3U);
  EXPECT_EQ(TermProgress(terms).level(), 0);
  EXPECT_EQ(progress_with(terms, {2}).level(), 1);
  EXPECT_EQ(progress_with(terms, {2, 5}).level(), 2);
  EXPECT_EQ(progress_with(terms, {2, 7}).level(), 0);
  EXPECT_EQ(progress_with(terms, {4, 3}).level(), 3);
}

bool has(const Ids& ids, const RequiredTerms& terms) {
  return progress_with(terms, ids).is_complete();
}

// Whatever a model wants, the terms are in what is found, and it has ended by itself.
TEST(BeamSearchWithTerms, FindsThemAll) {
  constexpr int64_t vocabulary = 9;
  constexpr SentenceBounds bounds = {.start = vocabulary - 1, .end = 0};
  for (int32_t seed = 1; seed < 40; ++seed) {
    ChainModel model(vocabulary, 1 + seed % 5);
    model.bonuses[bounds.end] = 3;
    const auto options = std::make_shared<const SearchOptions>(
        SearchOptions{.beam = 1 + seed % 4, .n_best = 1 + seed % 2 * (seed % 4), .max_length = 40});
    const RequiredTerms terms = terms_of({{{2, 5}, {3, 6, 7}}, {{1 + seed % 4}}, {{4, 4}}});
    Session session(model, bounds);
    session.add({.source = {seed, 0}, .options = options, .terms = terms});
    while (!session.empty()) session.step();
    const std::vector<Session::Finished> finished = session.take_finished();
    ASSERT_EQ(finished.size(), 1U);
    ASSERT_FALSE(finished[0].hypotheses.empty());
    for (const Hypothesis& found : finished[0].hypotheses) {
      EXPECT_TRUE(has(found.ids, terms)) << "seed " << seed;
      EXPECT_FALSE(found.cut);
    }
  }
}

// Where the terms do not fit, as many as possible are there.
TEST(BeamSearchWithTerms, TheMostTermsWinWhereNotAllFit) {
  constexpr SentenceBounds bounds = {.start = 8, .end = 0};
  const ChainModel model(9);
  const RequiredTerms terms = terms_of({{{2, 5}}, {{3, 6}}});
  Session session(model, bounds);
  session.add({.source = {1, 0},
               .options = std::make_shared<const SearchOptions>(SearchOptions{.max_length = 3}),
               .terms = terms});
  while (!session.empty()) session.step();
  const std::vector<Session::Finished> finished = session.take_finished();
  ASSERT_FALSE(finished.at(0).hypotheses.empty());
  EXPECT_EQ(met(terms, finished[0].hypotheses[0].ids), 1);
}

// Terms that the best translation has anyway change nothing but what else is found.
TEST(BeamSearchWithTerms, KnowsTheScoresOfForcedTokens) {
  constexpr SentenceBounds bounds = {.start = 8, .end = 0};
  const ChainModel model(9);
  const auto options = std::make_shared<const SearchOptions>(
      SearchOptions{.beam = 3, .max_length = 20, .min_length = 0});
  const RequiredTerms terms = terms_of({{{2, 5}}});
  Session session(model, bounds);
  session.add({.source = {1, 0}, .options = options, .terms = terms});
  while (!session.empty()) session.step();
  const Hypothesis found = session.take_finished().at(0).hypotheses.at(0);
  // The same tokens as a prefix, scored by the model one by one.
  session.add({.source = {1, 0}, .options = options, .prefix = found.ids});
  while (!session.empty()) session.step();
  const Hypothesis again = session.take_finished().at(0).hypotheses.at(0);
  ASSERT_EQ(again.ids, found.ids);
  EXPECT_DOUBLE_EQ(again.log_probability, found.log_probability);
}

TEST(BeamSearchWithTerms, RefusesSamples) {
  EXPECT_EQ(testing::error_of([] {
              make_search({.source = {1, 0},
                           .options = std::make_shared<const SearchOptions>(
                               SearchOptions{.sampling = Sampling()}),
                           .terms = terms_of({{{2}}})},
                          {.start = 8, .end = 0});
            }),
            "search: a glossary has its terms found by beam search, neither by samples nor "
            "branches");
}

}  // namespace
}  // namespace heed
