#include "heed/runs/training_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "comparable_files.h"
#include "error_of.h"
#include "heed/decoding/translator.h"
#include "heed/runs/watched_step.h"
#include "small_run.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using testing::comparable_files;
using testing::FileBytes;
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
    ASSERT_TRUE(validation.outputs.has_value());
    EXPECT_EQ(validation.outputs->samples.size(), 2u);
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

// Each rank as if it were on a host of its own.
TEST(TrainingRun, IsSentToRanksThatDoNotSeeTheFolder) {
  SmallRun small;
  small.settings.folder = small.path("alone/model");
  train(small.settings);
  small.settings.scatter = true;
  testing::run_ranks(3, [&](Communicator& ranks) {
    TrainingSettings settings = small.settings;
    settings.folder = small.path(fmt::format("host{}/model", ranks.rank() == 1 ? 0 : ranks.rank()));
    TrainingRun run(settings, {}, ranks);
    EXPECT_EQ(run.train(), TrainingEnd::budget);
  });
  EXPECT_TRUE(same_files(comparable_files(small.path("host0/model")),
                         comparable_files(small.path("alone/model"))));
  EXPECT_FALSE(std::filesystem::exists(small.path("host2")));
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

FileBytes without_attention(FileBytes files) {
  std::erase_if(files, [](const auto& file) { return file.first.starts_with("training/atten"); });
  return files;
}

class WatchedTrainingRun : public ::testing::Test {
 protected:
  WatchedTrainingRun() {
    small.settings.watch = {"le jeudi 3 mai 1979", "3 May 1979\t1979-05-03"};
    small.settings.learning["ema"] = "0.9";
    small.settings.sampling = 0.2;
  }

  FileBytes trained(const std::string& parent, const TrainingCallbacks& callbacks = {}) {
    small.settings.folder = small.path(parent + "/model");
    train(small.settings, callbacks);
    return comparable_files(small.settings.folder);
  }

  // Throws at this step, as if the program had been killed there.
  void kill_at(int64_t step, const std::string& parent) {
    TrainingCallbacks callbacks;
    callbacks.step = [=](const StepReport& report, const Progress&) {
      if (report.step == step) throw std::runtime_error("killed");
    };
    EXPECT_THROW(trained(parent, callbacks), std::runtime_error);
  }

  SmallRun small;
};

TEST_F(WatchedTrainingRun, KeepsAFilePerValidation) {
  trained("a");
  const std::vector<int64_t> steps = watched_steps(small.settings.folder);
  EXPECT_EQ(steps, (std::vector<int64_t>{5, 10, 12}));
  for (const int64_t step : steps) {
    const WatchedStep seen = load_watched_step(small.settings.folder, step);
    EXPECT_EQ(seen.step, step);
    EXPECT_EQ(seen.pairs, 20);
    ASSERT_EQ(seen.sentences.size(), 2u);
    EXPECT_EQ(seen.sentences[0].view.source.text, "le jeudi 3 mai 1979");
    EXPECT_EQ(seen.sentences[1].view.target.text, "1979-05-03");
  }
}

TEST_F(WatchedTrainingRun, ChangesNothingElse) {
  const FileBytes watched = trained("with");
  small.settings.watch.clear();
  const FileBytes unwatched = trained("without");
  EXPECT_EQ(watched.size(), unwatched.size() + 3);
  EXPECT_TRUE(same_files(without_attention(watched), unwatched));
}

TEST_F(WatchedTrainingRun, EndsWithTheSameBytesWhereverItIsKilledAndOnAnyThreads) {
  const FileBytes whole = trained("whole");
  for (const int64_t step : {3, 6, 11, 12}) kill_at(step, "killed");
  EXPECT_TRUE(same_files(trained("killed"), whole));
  small.settings.threads = 3;
  EXPECT_TRUE(same_files(trained("threads"), whole));
}

TEST_F(WatchedTrainingRun, ForgetsValidationsThatWillNotBeRepeated) {
  kill_at(11, "model");
  ASSERT_EQ(watched_steps(small.settings.folder), (std::vector<int64_t>{5, 10}));
  // The state of a run that was killed before the checkpoint of step 10.
  kill_at(6, "other");
  small.settings.folder = small.path("model/model");
  std::filesystem::copy_file(small.path("other/model/training/state.safetensors"),
                             small.path("model/model/training/state.safetensors"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(TrainingRun(small.settings).summary().steps, 5);
  EXPECT_EQ(watched_steps(small.settings.folder), (std::vector<int64_t>{5}));
}

TEST_F(WatchedTrainingRun, MayWatchOtherSentencesWhenItContinues) {
  kill_at(7, "model");
  small.settings.watch = {"le lundi 1 mars 1999"};
  trained("model");
  const auto first = [&](int64_t step) {
    return load_watched_step(small.settings.folder, step).sentences.front().view.source.text;
  };
  EXPECT_EQ(first(5), "le jeudi 3 mai 1979");
  EXPECT_EQ(first(10), "le lundi 1 mars 1999");
}

TEST_F(WatchedTrainingRun, RefusesWhatItCannotWatchBeforeTheFirstStep) {
  int steps = 0;
  TrainingCallbacks callbacks;
  callbacks.step = [&](const StepReport&, const Progress&) { ++steps; };
  const auto error = [&](const std::string& sentence) {
    small.settings.watch = {sentence};
    return testing::error_of([&] { train(small.settings, callbacks); });
  };
  EXPECT_EQ(error(""), "--watch: the sentence to watch is empty");
  // Before anything was prepared.
  EXPECT_FALSE(std::filesystem::exists(small.path("model")));
  std::string long_line;
  for (int i = 0; i < 100; ++i) long_line += " 1 9";
  EXPECT_EQ(error("1979" + long_line).substr(0, 36), "--watch: the sentence to watch has 2");
  EXPECT_EQ(error("1979\t1979" + long_line).substr(0, 26), "--watch: the translation h");
  small.settings.watch.clear();
  small.settings.watch_file = small.path("missing");
  EXPECT_NE(testing::error_of([&] { train(small.settings); }).find("missing: "), std::string::npos);
  EXPECT_EQ(steps, 0);
}

TEST_F(WatchedTrainingRun, NeedsAModelWithAttention) {
  small.settings.preset = "rnn";
  small.settings.model = {{"attention", "none"}, {"hidden", "8"}, {"embedding", "8"}};
  EXPECT_EQ(testing::error_of([&] { TrainingRun{small.settings}; }),
            "--watch: this model has no attention to look at");
  small.settings.model.erase("attention");
  trained("rnn");
  EXPECT_EQ(watched_steps(small.settings.folder).size(), 3u);
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
