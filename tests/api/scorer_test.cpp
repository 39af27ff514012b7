#include <numeric>
#include <thread>

#include "c_model.h"
#include "heed/decoding/scoring.h"
#include "sample_text.h"
#include "small_language_model.h"

namespace heed {
namespace {

using testing::expect_refused;
using testing::made_up_sentences;
using testing::Strings;

class CScorer : public testing::CModel {
 protected:
  using Handle = std::unique_ptr<heed_scorer, decltype(&heed_scorer_free)>;

  static Handle load_scorer(int32_t threads = 2) {
    heed_scorer* scorer = nullptr;
    EXPECT_EQ(heed_scorer_load(model().c_str(), threads, &scorer), HEED_OK) << heed_last_error();
    return {scorer, heed_scorer_free};
  }
};

TEST_F(CScorer, ScoresAsTheLibraryDoes) {
  const Strings sources(made_up_sentences(8));
  std::vector<std::string> others = made_up_sentences(16);
  others.erase(others.begin(), others.begin() + 8);
  const Strings targets(others);
  const ModelFolder loaded = load_model_folder(model());
  Workers workers(1);
  const std::vector<LineScore> expected = score_lines(*loaded.model, loaded.source, loaded.target,
                                                      sources.texts(), targets.texts(), workers);

  const Handle scorer = load_scorer();
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      std::vector<double> found(sources.size());
      std::vector<int64_t> tokens(sources.size());
      ASSERT_EQ(heed_score(scorer.get(), sources.data(), targets.data(), sources.size(),
                           found.data(), tokens.data()),
                HEED_OK)
          << heed_last_error();
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i], expected[i].log_probability);
        EXPECT_EQ(tokens[i], expected[i].tokens);
      }
    });
  for (std::thread& caller : callers) caller.join();
}

TEST_F(CScorer, ScoresTextsByThemselves) {
  const std::string language = folder->path("language");
  testing::put_language_model(language, 64);
  const Strings texts(made_up_sentences(5));
  const ModelFolder loaded = load_model_folder(language);
  Workers workers(1);
  const std::vector<TextScore> expected =
      score_texts(*loaded.model, loaded.target, texts.texts(), workers);
  heed_scorer* scorer = nullptr;
  ASSERT_EQ(heed_scorer_load(language.c_str(), 2, &scorer), HEED_OK) << heed_last_error();
  const Handle handle(scorer, heed_scorer_free);
  std::vector<double> found(texts.size());
  std::vector<int64_t> tokens(texts.size());
  ASSERT_EQ(heed_score_text(scorer, texts.data(), texts.size(), found.data(), tokens.data()),
            HEED_OK)
      << heed_last_error();
  for (size_t i = 0; i < texts.size(); ++i) {
    const TokenScores& scores = expected[i].tokens;
    EXPECT_EQ(found[i], std::accumulate(scores.begin(), scores.end(), 0.0));
    EXPECT_EQ(tokens[i], static_cast<int64_t>(scores.size()));
  }
  expect_refused(heed_score_text(scorer, texts.data(), 1, nullptr, nullptr), HEED_USAGE,
                 "heed_score_text: where to put the log-probabilities is NULL");
  const Handle translator = load_scorer();
  expect_refused(heed_score_text(translator.get(), texts.data(), 1, found.data(), nullptr),
                 HEED_USAGE,
                 "heed_score_text: a model of the kind transformer, but a language model was "
                 "expected");
}

TEST_F(CScorer, RefusesWhatCannotBe) {
  heed_scorer* none = nullptr;
  expect_refused(heed_scorer_load(nullptr, 1, &none), HEED_USAGE,
                 "heed_scorer_load: the folder is NULL");
  expect_refused(heed_scorer_load(model().c_str(), 1, nullptr), HEED_USAGE,
                 "heed_scorer_load: where to put the scorer is NULL");
  expect_refused(heed_scorer_load(model().c_str(), 5000, &none), HEED_USAGE,
                 "heed_scorer_load: 5000 threads, but 0 to 1024 were expected");
  EXPECT_EQ(heed_scorer_load(folder->path("missing").c_str(), 1, &none), HEED_SYSTEM);

  const Handle scorer = load_scorer();
  const Strings line({"a b"});
  const char* const holes[] = {nullptr};
  double found = 7;
  expect_refused(heed_score(nullptr, line.data(), line.data(), 1, &found, nullptr), HEED_USAGE,
                 "heed_score: the scorer is NULL");
  expect_refused(heed_score(scorer.get(), nullptr, line.data(), 1, &found, nullptr), HEED_USAGE,
                 "heed_score: the sources are NULL");
  expect_refused(heed_score(scorer.get(), line.data(), holes, 1, &found, nullptr), HEED_USAGE,
                 "heed_score: line 0 of the targets is NULL");
  expect_refused(heed_score(scorer.get(), line.data(), line.data(), 1, nullptr, nullptr),
                 HEED_USAGE, "heed_score: where to put the log-probabilities is NULL");
  EXPECT_EQ(found, 7);
  EXPECT_EQ(heed_score(scorer.get(), nullptr, nullptr, 0, nullptr, nullptr), HEED_OK);
  EXPECT_EQ(heed_score(scorer.get(), line.data(), line.data(), 1, &found, nullptr), HEED_OK);
  EXPECT_LT(found, 0);
  EXPECT_EQ(heed_scorer_free(nullptr), HEED_OK);
}

}  // namespace
}  // namespace heed
