#include "heed/decoding/required_terms.h"

#include <gtest/gtest.h>

#include "chain_model.h"
#include "error_of.h"
#include "heed/decoding/session.h"
#include "small_moses.h"
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
    for (Ids& ids : forms) required.terms.back().forms.push_back({std::move(ids), needs_word_end});
  }
  required.borders = std::make_shared<const WordBorders>(
      WordBorders{.begins = {true, true, true, true, true, false, false, false, false},
                  .goes_on = std::vector<bool>(9)});
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

// After "un@@", whatever comes is a part of the same word.
TEST(TermProgress, ATermDoesNotBeginInsideAWord) {
  RequiredTerms terms = terms_of({{{2, 3}}});
  terms.borders = std::make_shared<const WordBorders>(
      WordBorders{.begins = std::vector<bool>(9, true),
                  .goes_on = {false, false, true, false, true, false, false, false, false}});
  EXPECT_EQ(met(terms, {2, 3}), 1);
  EXPECT_EQ(met(terms, {4, 2, 3}), 0);
  EXPECT_EQ(met(terms, {4, 5, 2, 3}), 1);
  EXPECT_EQ(progress_with(terms, {4}).wanted(), Ids{});
  EXPECT_EQ(progress_with(terms, {5}).wanted(), Ids{2});
  EXPECT_EQ(progress_with(terms, {2}).wanted(), Ids{3});
}

TEST(WordBorders, OfMosesAreInItsTokens) {
  const Vocabulary moses = testing::small_moses_vocabulary();
  const WordBorders borders = word_borders_of(moses);
  const Ids ids = moses.encode("bako");
  ASSERT_EQ(ids.size(), 2u);
  for (const int32_t id : ids) EXPECT_TRUE(borders.begins[static_cast<size_t>(id)]);
  EXPECT_TRUE(borders.goes_on[static_cast<size_t>(ids[0])]);
  EXPECT_FALSE(borders.goes_on[static_cast<size_t>(ids[1])]);
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

TEST(TermProgress, KnowsWhatABeginningTermTranslates) {
  RequiredTerms terms = terms_of({{{2, 5}}, {{2, 6}}, {{3}}});
  terms.terms[0].source = {4, 5};
  terms.terms[1].source = {1, 5};
  using Tokens = std::vector<int64_t>;
  EXPECT_EQ(TermProgress(terms).source_of(2), (Tokens{1, 4, 5}));
  EXPECT_EQ(TermProgress(terms).source_of(3), Tokens{});
  EXPECT_EQ(progress_with(terms, {2}).source_of(5), Tokens{});
  EXPECT_EQ(progress_with(terms, {2, 5}).source_of(2), (Tokens{1, 5}));
}

TEST(RequiredTerms, AreThoseOfTheSource) {
  LineReader lines(input_of("ba\tko ri|東\nzu\t東京\nist\tba\n"), "terms");
  const Glossary glossary = Glossary::read(lines);
  const Vocabulary& vocabulary = testing::small_vocabulary();
  const std::string text = "ist da ba zu ba";
  const RequiredTerms terms =
      required_terms(glossary, glossary.terms_in(text),
                     std::vector<TextRange>{{0, 3}, {4, 6}, {7, 8}, {8, 9}, {10, 12}, {13, 15}},
                     vocabulary, nullptr);
  ASSERT_EQ(terms.size(), 2U);  // the vocabulary lacks all that the third could be
  EXPECT_EQ(terms.terms[0].source, std::vector<int64_t>{0});
  EXPECT_EQ(terms.terms[1].source, (std::vector<int64_t>{2, 3, 5}));
  ASSERT_EQ(terms.terms[1].forms.size(), 1U);
  EXPECT_EQ(terms.terms[1].forms[0].ids, vocabulary.encode("ko ri"));
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

// What is found for a model that likes token 1 best, ends after six tokens, and looks at the source
// tokens one after the other.
Ids found_with_moving_attention(const RequiredTerms& terms) {
  const std::unique_ptr<SentenceSearch> search =
      make_search({.source = {1, 2, 3, 4, 5, 6, 7, 0},
                   .options = std::make_shared<const SearchOptions>(
                       SearchOptions{.beam = 4, .max_length = 12, .want_attention = true}),
                   .terms = terms},
                  {.start = 8, .end = 0});
  for (int64_t step = 0; !search->rows().empty(); ++step) {
    const auto rows = static_cast<int64_t>(search->rows().size());
    Tensor scores = Tensor::zeros({rows, 9}), attention = Tensor::zeros({rows, 8});
    for (int64_t row = 0; row < rows; ++row) {
      scores.matrix<float>()(row, 1) = 2;
      scores.matrix<float>()(row, 0) = step < 6 ? -5 : 9;
      attention.matrix<float>()(row, std::min<int64_t>(step, 7)) = 1;
    }
    search->advance(scores.matrix<float>(), attention.matrix<float>());
  }
  return search->take_results().at(0).ids;
}

TEST(BeamSearchWithTerms, ATermStandsWhereTheModelLooksAtIt) {
  for (const int64_t place : {0, 2, 4}) {
    RequiredTerms terms = terms_of({{{3, 6}}});
    terms.terms[0].source = {place};
    const Ids ids = found_with_moving_attention(terms);
    ASSERT_GT(static_cast<int64_t>(ids.size()), place + 1);
    EXPECT_EQ(ids[static_cast<size_t>(place)], 3) << place;
    EXPECT_EQ(ids[static_cast<size_t>(place) + 1], 6) << place;
  }
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
