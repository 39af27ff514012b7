#include "heed/runs/training_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "comparable_files.h"
#include "error_of.h"
#include "heed/decoding/translator.h"
#include "small_run.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using testing::comparable_files;
using testing::same_files;
using testing::SmallRun;

TEST(TrainingRun, LeavesAModelThatTranslates) {
  const SmallRun small;
  EXPECT_EQ(train(small.settings), TrainingEnd::budget);
  const Translator translator = Translator::load(small.path("model"), {.threads = 1});
  const std::vector<std::string> lines = {"le jeudi 3 mai 1979", ""};
  EXPECT_EQ(translator.translate(lines).size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(small.path("model/curves.svg")));
}

TEST(TrainingRun, ReportsAndNeverPrints) {
  const SmallRun small;
  std::vector<int64_t> steps, validations;
  std::vector<std::string> sentences;
  TrainingSummary begun;
  TrainingCallbacks callbacks;
  callbacks.prepares = [&](const std::string& sentence) { sentences.push_back(sentence); };
  callbacks.begins = [&](const TrainingSummary& summary) { begun = summary; };
  callbacks.step = [&](const StepReport& report, const Progress&) { steps.push_back(report.step); };
  callbacks.validated = [&](const Validation& validation, const Progress&) {
    validations.push_back(validation.step);
    ASSERT_TRUE(validation.translations.has_value());
    EXPECT_EQ(validation.translations->samples.size(), 2u);
  };
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  train(small.settings, callbacks);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(steps.size(), 12u);
  EXPECT_EQ(validations, (std::vector<int64_t>{5, 10, 12}));
  EXPECT_FALSE(sentences.empty());
  EXPECT_EQ(begun.model, "transformer");
  EXPECT_EQ(begun.training_pairs, 200);
  EXPECT_EQ(begun.threads, 1);
  EXPECT_FALSE(begun.resumed);
  EXPECT_GT(begun.parameters, 1000);
  EXPECT_GT(begun.operations_per_target_token, 0);
}

TEST(TrainingRun, LeavesTheSameFilesOnAnyNumberOfRanks) {
  SmallRun small;
  small.settings.folder = small.path("alone/model");
  train(small.settings);
  small.settings.folder = small.path("ranks/model");
  std::atomic<int> begun = 0, validated = 0;
  const TrainingCallbacks callbacks = {
      .begins = [&](const TrainingSummary&) { ++begun; },
      .validated = [&](const Validation&, const Progress&) { ++validated; }};
  testing::run_ranks(3, [&](Communicator& ranks) {
    TrainingRun run(small.settings, callbacks, ranks);
    EXPECT_EQ(run.train(), TrainingEnd::budget);
  });
  EXPECT_TRUE(same_files(comparable_files(small.path("ranks/model")),
                         comparable_files(small.path("alone/model"))));
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(validated, 3);
}

TEST(TrainingRun, AnInterruptedOneContinuesToTheSameBytes) {
  SmallRun small;
  small.settings.folder = small.path("whole/model");
  train(small.settings);
  small.settings.folder = small.path("parts/model");
  int64_t taken = 0;
  TrainingCallbacks until_7;
  until_7.step = [&](const StepReport& report, const Progress&) { taken = report.step; };
  until_7.interrupted = [&] { return taken == 7; };
  EXPECT_EQ(train(small.settings, until_7), TrainingEnd::interrupted);
  TrainingRun rest(small.settings);
  EXPECT_TRUE(rest.summary().resumed);
  EXPECT_EQ(rest.summary().steps, 7);
  EXPECT_EQ(rest.train(), TrainingEnd::budget);
  EXPECT_TRUE(same_files(comparable_files(small.path("parts/model")),
                         comparable_files(small.path("whole/model"))));
}

TEST(TrainingRun, WhatACallbackThrowsReachesTheCaller) {
  const SmallRun small;
  TrainingCallbacks callbacks;
  callbacks.step = [](const StepReport&, const Progress&) { throw std::runtime_error("enough"); };
  EXPECT_THROW(train(small.settings, callbacks), std::runtime_error);
  EXPECT_EQ(train(small.settings), TrainingEnd::budget);
}

TEST(TrainingRun, WithoutABudgetItHasPatience) {
  SmallRun small;
  small.settings.trainer.steps = 0;
  EXPECT_EQ(TrainingRun(small.settings).summary().trainer.patience, 10);
  small.settings.patience = 0;
  EXPECT_EQ(TrainingRun(small.settings).summary().trainer.patience, 0);
  small.settings.patience.reset();
  small.settings.trainer.epochs = 3;
  EXPECT_EQ(TrainingRun(small.settings).summary().trainer.patience, 0);
}

TEST(TrainingRun, HoldsItsFolder) {
  const SmallRun small;
  const TrainingRun run(small.settings);
  EXPECT_EQ(testing::error_of([&] { TrainingRun{small.settings}; }),
            small.path("model") + ": another program is training in this folder");
}

}  // namespace
}  // namespace heed
