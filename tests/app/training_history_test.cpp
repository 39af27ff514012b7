#include "heed/app/cli/training_history.h"

#include <gtest/gtest.h>

#include <cmath>

#include "error_of.h"
#include "heed/training/training_log.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;

TEST(TrainingHistory, IsWhatTheLogTells) {
  const TemporaryFolder folder;
  Progress progress;
  progress.seconds = 12;
  append_to_log(
      folder.path(""),
      log_line(
          StepReport{.step = 5, .loss = 3.5, .negative_likelihood = 3.25, .learning_rate = 1e-3},
          progress));
  append_to_log(folder.path(""),
                log_line(Validation{.step = 5, .cross_entropy = 2, .translations = {}}, progress));
  append_to_log(
      folder.path(""),
      log_line(Validation{.step = 7,
                          .cross_entropy = 1,
                          .translations = TranslationScores{.bleu = 20, .chrf = 40, .samples = {}},
                          .best = true},
               progress));
  const TrainingHistory history = read_history(folder.path(""));
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_EQ(history.steps[0].step, 5);
  EXPECT_EQ(history.steps[0].loss, 3.5);
  EXPECT_EQ(history.steps[0].cross_entropy, 3.25);
  EXPECT_EQ(history.steps[0].learning_rate, 1e-3);
  ASSERT_EQ(history.validations.size(), 2u);
  EXPECT_EQ(history.validations[0].cross_entropy, 2);
  EXPECT_NEAR(history.validations[0].perplexity, std::exp(2.0), 1e-9);
  EXPECT_EQ(history.validations[0].seconds, 12);
  EXPECT_FALSE(history.validations[0].bleu.has_value());
  EXPECT_FALSE(history.validations[0].best);
  EXPECT_EQ(history.validations[1].step, 7);
  EXPECT_EQ(history.validations[1].bleu, 20);
  EXPECT_EQ(history.validations[1].chrf, 40);
  EXPECT_TRUE(history.validations[1].best);
}

TEST(TrainingHistory, LeavesOutWhatItDoesNotUnderstand) {
  const TemporaryFolder folder;
  folder.put("training.jsonl",
             "{\"event\":\"step\",\"step\":1,\"loss\":null}\n\nnonsense\n[1]\n{\"step\":2}\n"
             "{\"event\":\"something\"}\n{\"event\":\"step\",\"step\":\"2\"}\n"
             "{\"event\":\"step\",\"step\":1.5}\n{\"event\":\"validation\"}\n"
             "{\"event\":[],\"step\":1}\n{\"event\":\"validation\",\"st");
  const TrainingHistory history = read_history(folder.path(""));
  ASSERT_EQ(history.steps.size(), 1u);
  EXPECT_TRUE(std::isnan(history.steps[0].loss));
  EXPECT_TRUE(history.validations.empty());
}

TEST(TrainingHistory, TakesForNoNumberWhatIsNone) {
  const TemporaryFolder folder;
  folder.put(
      "training.jsonl",
      "{\"event\":\"validation\",\"step\":3,\"best\":1,\"bleu\":\"20\",\"perplexity\":{}}\n");
  const TrainingHistory history = read_history(folder.path(""));
  ASSERT_EQ(history.validations.size(), 1u);
  EXPECT_FALSE(history.validations[0].best);
  EXPECT_TRUE(std::isnan(*history.validations[0].bleu));
  EXPECT_TRUE(std::isnan(history.validations[0].perplexity));
}

TEST(TrainingHistory, IsEmptyWhereThereIsNoLog) {
  const TemporaryFolder folder;
  const TrainingHistory history = read_history(folder.path("nowhere"));
  EXPECT_TRUE(history.steps.empty());
  EXPECT_TRUE(history.validations.empty());
}

TEST(TrainingHistory, IsDrawnUnderItsTitle) {
  TrainingHistory history;
  for (int64_t step = 1; step <= 3; ++step) {
    history.steps.push_back({step, 5.0 - static_cast<double>(step), 4.0, 1e-3});
    history.validations.push_back(
        {.step = step, .cross_entropy = 3, .perplexity = 20, .bleu = 10, .chrf = {}});
  }
  const std::string picture = draw_history(history, "en-de");
  EXPECT_TRUE(picture.starts_with("<svg")) << picture.substr(0, 40);
  for (const char* text :
       {"en-de", "Cross-entropy per token", "Perplexity", "BLEU", "Learning rate"})
    EXPECT_NE(picture.find(text), std::string::npos) << text;
}

TEST(TrainingHistory, OfALogThatCannotBeReadIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("training.jsonl"));
  EXPECT_EQ(testing::error_of([&] { read_history(folder.path("")); }),
            folder.path("training.jsonl") + ": is a folder, but a file was expected");
}

}  // namespace
}  // namespace heed
