#include "heed/training/training_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using Json = nlohmann::json;

TEST(TrainingLog, TellsOfAStep) {
  const StepReport report{.step = 50,
                          .loss = 3.5,
                          .negative_likelihood = 3.25,
                          .gradient_norm = 0.5,
                          .learning_rate = 1e-3,
                          .source_tokens = 10,
                          .target_tokens = 20};
  const Progress progress{
      .position = {.epoch = 2}, .source_tokens = 700, .target_tokens = 800, .seconds = 9};
  const Json json = Json::parse(log_line(report, progress));
  EXPECT_EQ(json["event"], "step");
  EXPECT_EQ(json["step"], 50);
  EXPECT_EQ(json["epoch"], 3);
  EXPECT_EQ(json["loss"], 3.5);
  EXPECT_EQ(json["cross-entropy"], 3.25);
  EXPECT_EQ(json["learning-rate"], 1e-3);
  EXPECT_EQ(json["target-tokens"], 800);
  EXPECT_FALSE(json.contains("skipped"));
}

TEST(TrainingLog, TellsOfAStepThatWasSkipped) {
  const StepReport report{.step = 7, .loss = NAN, .gradient_norm = INFINITY, .skipped = true};
  const Json json = Json::parse(log_line(report, {}));
  EXPECT_EQ(json["skipped"], true);
  EXPECT_TRUE(json["loss"].is_null());
}

TEST(TrainingLog, TellsOfAValidation) {
  Validation validation{.step = 100, .epoch = 2, .cross_entropy = 2, .outputs = {}, .best = true};
  const Progress progress{.loss_sum = 30, .likelihood_sum = 20, .loss_tokens = 10};
  Json json = Json::parse(log_line(validation, progress));
  EXPECT_EQ(json["event"], "validation");
  EXPECT_EQ(json["training-loss"], 3.0);
  EXPECT_EQ(json["training-cross-entropy"], 2.0);
  EXPECT_DOUBLE_EQ(json["perplexity"].get<double>(), std::exp(2.0));
  EXPECT_EQ(json["best"], true);
  EXPECT_FALSE(json.contains("bleu"));
  // Translations may hold any bytes, and the line is still JSON.
  validation.outputs =
      OutputScores{.bleu = 12, .chrf = 34, .samples = {{"a\n\"b\"", "c", "\xff d"}}};
  const std::string line = log_line(validation, progress);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  json = Json::parse(line);
  EXPECT_EQ(json["bleu"], 12);
  EXPECT_EQ(json["chrf"], 34);
  EXPECT_EQ(json["samples"][0]["source"], "a\n\"b\"");
  EXPECT_EQ(json["samples"][0]["translation"], "\xef\xbf\xbd d");
}

TEST(TrainingLog, WritesNoNumberWhereThereIsNone) {
  const Validation diverged{.step = 9, .cross_entropy = -NAN, .finite = false, .outputs = {}};
  const std::string line = log_line(diverged, {.loss_sum = 0, .loss_tokens = 0});
  const Json json = Json::parse(line);
  for (const char* name :
       {"cross-entropy", "perplexity", "training-loss", "training-cross-entropy"})
    EXPECT_TRUE(json[name].is_null()) << line;
  EXPECT_EQ(json["best"], false);
}

TEST(TrainingLog, GrowsAndIsCut) {
  const TemporaryFolder folder;
  cut_log(folder.path(""), 0);  // there is none yet
  EXPECT_EQ(append_to_log(folder.path(""), "one"), 4);
  EXPECT_EQ(append_to_log(folder.path(""), "three"), 10);
  cut_log(folder.path(""), 10);
  EXPECT_EQ(folder.text("training.jsonl"), "one\nthree\n");
  cut_log(folder.path(""), 4);
  EXPECT_EQ(folder.text("training.jsonl"), "one\n");
  EXPECT_EQ(append_to_log(folder.path(""), "2"), 6);
  EXPECT_EQ(folder.text("training.jsonl"), "one\n2\n");
}

TEST(TrainingLog, SaysWhereItCannotBeWritten) {
  const TemporaryFolder folder;
  EXPECT_EQ(
      error_of([&] { append_to_log(folder.path("absent"), "line"); }),
      folder.path("absent/training.jsonl") + ": cannot be written: No such file or directory");
}

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
                log_line(Validation{.step = 5, .cross_entropy = 2, .outputs = {}}, progress));
  append_to_log(folder.path(""),
                log_line(Validation{.step = 7,
                                    .cross_entropy = 1,
                                    .outputs = OutputScores{.bleu = 20, .chrf = 40, .samples = {}},
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

TEST(TrainingHistory, OfALogThatCannotBeReadIsAnError) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("training.jsonl"));
  EXPECT_EQ(testing::error_of([&] { read_history(folder.path("")); }),
            folder.path("training.jsonl") + ": is a folder, but a file was expected");
}

}  // namespace
}  // namespace heed
