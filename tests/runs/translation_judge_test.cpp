#include "heed/runs/translation_judge.h"

#include <gtest/gtest.h>

#include "heed/folders/model_folder.h"
#include "heed/runs/training_run.h"
#include "small_run.h"

namespace heed {
namespace {

TEST(TranslationJudge, ComparesTheFirstLinesWithTheirReferences) {
  const testing::SmallRun small;
  train(small.settings);
  const ModelFolder folder = load_model_folder(small.path("model"));
  const CorpusStore corpus(small.path("model/training/valid.pairs"));
  const auto judge = [&](const JudgeOptions& options) {
    return TranslationJudge(corpus, folder.source, folder.target, options)(*folder.model, 1);
  };
  const OutputScores scores = judge({.lines = 3, .samples = 5});
  ASSERT_EQ(scores.samples.size(), 3u);
  EXPECT_EQ(scores.samples[0].source, std::string(corpus.read(0).pairs[0].source));
  EXPECT_EQ(scores.samples[0].reference, std::string(corpus.read(0).pairs[0].target));
  EXPECT_GE(scores.chrf, 0);
  EXPECT_LT(scores.chrf, 100);
  EXPECT_TRUE(judge({.lines = 3, .samples = 0}).samples.empty());
}

}  // namespace
}  // namespace heed
