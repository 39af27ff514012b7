// Runs that train encoders: to classify, and to fill in words.
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>

#include "comparable_files.h"
#include "encoder_run.h"
#include "error_of.h"
#include "heed/folders/bert_folder.h"
#include "heed/folders/classifier_folder.h"
#include "heed/folders/masked_folder.h"
#include "heed/runs/training_run.h"
#include "tensors.h"

namespace heed {
namespace {

using testing::comparable_files;
using testing::EncoderRun;
using testing::error_of;
using testing::FileBytes;
using testing::same_files;

class EncoderTasks : public ::testing::TestWithParam<Task> {
 protected:
  FileBytes trained(EncoderRun& run, const std::string& parent,
                    const TrainingCallbacks& callbacks = {}) const {
    run.settings.folder = run.path(parent + "/model");
    train(run.settings, callbacks);
    return comparable_files(run.settings.folder);
  }
};

INSTANTIATE_TEST_SUITE_P(, EncoderTasks, ::testing::Values(Task::masked, Task::classify),
                         [](const auto& test) {
                           return test.param == Task::masked ? "masked" : "classify";
                         });

TEST_P(EncoderTasks, TheSameFilesOnAnyNumberOfThreads) {
  EncoderRun run(GetParam());
  run.settings.learning["ema"] = "0.9";
  const FileBytes one = trained(run, "1");
  for (const int threads : {2, 4}) {
    run.settings.threads = threads;
    EXPECT_TRUE(same_files(trained(run, std::to_string(threads)), one));
  }
}

TEST_P(EncoderTasks, SampleSubwordsIfAsked) {
  EncoderRun run(GetParam());
  const FileBytes longest = trained(run, "longest");
  run.settings.sampling = 0.5;
  const char* weights = "model.safetensors";
  EXPECT_NE(trained(run, "sampled").at(weights), longest.at(weights));
}

TEST_P(EncoderTasks, KilledAtAnyStepTheyContinueToTheSameBytes) {
  EncoderRun run(GetParam());
  run.settings.sampling = 0.2;
  run.settings.model["convolution"] = "3";
  const FileBytes whole = trained(run, "whole");
  for (const int64_t step : {1, 7}) {
    const std::string name = "killed" + std::to_string(step);
    TrainingCallbacks callbacks;
    callbacks.step = [=](const StepReport& report, const Progress&) {
      if (report.step == step) throw std::runtime_error("killed");
    };
    EXPECT_THROW(trained(run, name, callbacks), std::runtime_error);
    EXPECT_TRUE(same_files(trained(run, name), whole));
  }
}

TEST_P(EncoderTasks, HoldOutSomeTextsAndFitTheMemory) {
  EncoderRun run(GetParam());
  run.settings.valid.clear();
  run.settings.memory = int64_t{100} << 20;
  TrainingRun opened(run.settings);
  EXPECT_EQ(opened.summary().validation_pairs, 3);
  EXPECT_EQ(opened.summary().training_pairs, 57);
  EXPECT_EQ(opened.train(), TrainingEnd::budget);
}

TEST_P(EncoderTasks, DropoutMayChangeAndSizesMayNot) {
  EncoderRun run(GetParam());
  train(run.settings);
  run.settings.trainer.steps = 14;
  run.settings.change_settings = true;
  run.settings.model["dropout"] = "0.05";
  EXPECT_EQ(train(run.settings), TrainingEnd::budget);
  EXPECT_NEAR(load_bert_folder(run.settings.folder).config.dropout, 0.05, 1e-9);
  run.settings.model["width"] = "32";
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            run.settings.folder.string() +
                ": the run's weights do not fit the new model settings; a new run needs an empty "
                "folder");
}

TEST_P(EncoderTasks, StartFromAPretrainedEncoder) {
  EncoderRun first(Task::masked), run(GetParam());
  train(first.settings);
  run.settings.pretrained = first.settings.folder.string();
  run.settings.model = {};
  run.settings.learning = {{"learning-rate", "1e-30"}, {"weight-decay", "0"}};
  train(run.settings);
  const BertFolder from = load_bert_folder(first.settings.folder),
                   found = load_bert_folder(run.settings.folder);
  EXPECT_EQ(found.pieces.json(), from.pieces.json());
  const std::vector<Parameter> given = parameters_of(*from.model),
                               kept = parameters_of(*found.model);
  for (size_t i = 0; i < given.size(); ++i)
    EXPECT_EQ(testing::values_of(kept[i].value), testing::values_of(given[i].value))
        << given[i].name;
}

TEST_P(EncoderTasks, RefusePretrainedModelsThatDoNotFit) {
  EncoderRun first(Task::masked), run(GetParam());
  train(first.settings);
  run.settings.pretrained = first.settings.folder.string();
  run.settings.model = {{"width", "32"}};
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "--width is 32 but the pretrained encoder has 16");
  run.settings.model = {};
  run.settings.pretrained = run.path("nowhere");
  EXPECT_NE(error_of([&] { train(run.settings); }).find(run.path("nowhere")), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(run.settings.folder));
}

TEST(ClassificationTask, LeavesAClassifierThatKnowsItsLabels) {
  EncoderRun run(Task::classify);
  run.settings.trainer.steps = 60;
  run.settings.trainer.criterion = Criterion::accuracy;
  std::vector<Validation> found;
  TrainingSummary begun;
  TrainingCallbacks callbacks;
  callbacks.begins = [&](const TrainingSummary& summary) { begun = summary; };
  callbacks.validated = [&](const Validation& validation, const Progress&) {
    found.push_back(validation);
  };
  train(run.settings, callbacks);
  EXPECT_EQ(begun.model, "classifier");
  EXPECT_EQ(begun.target_vocabulary, 2);
  EXPECT_EQ(begun.training_pairs, 60);
  const ClassifierFolder folder = load_classifier_folder(run.settings.folder);
  EXPECT_EQ(folder.labels, (std::vector<std::string>{"number", "place"}));
  ASSERT_TRUE(found.back().outputs);
  EXPECT_EQ(found.back().outputs->accuracy, 100);
  EXPECT_EQ(found.back().outputs->f1, 100);
  ASSERT_EQ(found.back().outputs->samples.size(), 2u);
  EXPECT_EQ(found.back().outputs->samples[0].reference, "number");
  EXPECT_EQ(found.back().outputs->samples[0].output, "number");
}

TEST(ClassificationTask, TextsMayHaveSeveralLabels) {
  EncoderRun run(Task::classify);
  std::string lines;
  for (int i = 0; i < 20; ++i)
    lines +=
        "{\"text\": \"red and big\", \"labels\": [\"red\", \"big\"]}\n"
        "{\"text\": \"red\", \"labels\": [\"red\"]}\n{\"text\": \"none\", \"labels\": []}\n";
  run.put("train.jsonl", lines);
  run.settings.train = {run.path("train.jsonl")};
  run.settings.valid.clear();
  run.settings.trainer.steps = 60;
  std::optional<double> accuracy;
  train(run.settings, {.validated = [&](const Validation& validation, const Progress&) {
          accuracy = validation.outputs->accuracy;
        }});
  EXPECT_EQ(accuracy, 100);
  EXPECT_TRUE(load_classifier_folder(run.settings.folder).config.several_labels);
}

TEST(ClassificationTask, SaysWhatIsWrongWithLabels) {
  const auto refusal = [](const std::string& train_lines, const std::string& valid_lines) {
    EncoderRun run(Task::classify);
    run.put("train.tsv", train_lines);
    run.put("valid.tsv", valid_lines);
    if (valid_lines.empty()) run.settings.valid.clear();
    const std::string found = error_of([&] { train(run.settings); });
    EXPECT_FALSE(std::filesystem::exists(run.settings.folder / "config.json"));
    return found.substr(found.find(".tsv") + 5);
  };
  EXPECT_EQ(refusal("a\tx\na\ty\nb\tz\n", ""),
            " the label \"b\" occurs once but at least two texts of a label were expected");
  EXPECT_EQ(refusal("a\tx\na\ty\n", ""),
            " every text has the label \"a\" but at least two labels were expected");
  EXPECT_EQ(refusal("a\tx\na\ty\nb\tx\nb\ty\n", "a\tx\nc\ty\n"),
            " the label \"c\" is not in the training texts");
  EXPECT_EQ(refusal("a\tx\n\ty\n", ""), " line 2: the label is empty");
}

// Of each label, one is left to learn from.
TEST(ClassificationTask, HoldsOutNoLabelAsAWhole) {
  std::string lines;
  for (int i = 0; i < 30; ++i) {
    const std::string label = "l" + std::to_string(i);
    lines += label + "\tone two\n" + label + "\tthree four\n";
  }
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    EncoderRun run(Task::classify);
    run.put("train.tsv", lines);
    run.settings.valid.clear();
    run.settings.seed = seed;
    run.settings.held_out = 30;
    run.settings.trainer.steps = 1;
    train(run.settings);
    EXPECT_EQ(load_classifier_folder(run.settings.folder).labels.size(), 30u);
  }
}

TEST(MaskedTask, LeavesAModelThatFillsInWords) {
  EncoderRun run(Task::masked);
  run.settings.trainer.steps = 300;
  run.settings.trainer.validate_every = 100;
  std::vector<Validation> found;
  train(run.settings, {.validated = [&](const Validation& validation, const Progress&) {
          found.push_back(validation);
        }});
  EXPECT_LT(found.back().cross_entropy, found.front().cross_entropy);
  ASSERT_TRUE(found.back().outputs);
  EXPECT_GT(*found.back().outputs->accuracy, 30);
  ASSERT_EQ(found.back().outputs->samples.size(), 2u);
  EXPECT_NE(found.back().outputs->samples[0].source, found.back().outputs->samples[0].reference);
  EXPECT_EQ(load_masked_folder(run.settings.folder).pieces.piece(4), "[MASK]");
}

TEST(EncoderSettings, ThatBelongToOtherTasksAreRefused) {
  const auto refusal = [](Task task, const std::function<void(TrainingSettings&)>& change) {
    EncoderRun run(task);
    change(run.settings);
    return error_of([&] { train(run.settings); });
  };
  EXPECT_EQ(refusal(Task::classify, [](auto& s) { s.separate = true; }),
            "--separate-vocabularies: classifiers have one vocabulary");
  EXPECT_EQ(refusal(Task::masked, [](auto& s) { s.model["pooling"] = "mean"; }),
            "--pooling is not a setting of a masked model");
  EXPECT_EQ(refusal(Task::classify, [](auto& s) { s.model["encoder-layers"] = "2"; }),
            "--encoder-layers is not a setting of a classifier");
  EXPECT_EQ(refusal(Task::classify, [](auto& s) { s.preset = "rnn"; }),
            "train: the preset is \"rnn\" but an encoder has tiny, small and base");
  EXPECT_EQ(refusal(Task::classify, [](auto& s) { s.trainer.criterion = Criterion::bleu; }),
            "--criterion: bleu is of translations, but the task is to classify");
  EXPECT_EQ(refusal(Task::masked, [](auto& s) { s.trainer.criterion = Criterion::f1; }),
            "--criterion: f1 but a masked model is judged by cross-entropy, perplexity or "
            "accuracy");
  EXPECT_EQ(refusal(Task::language, [](auto& s) { s.pretrained = "x"; }),
            "--pretrained: language models do not have it");
}

}  // namespace
}  // namespace heed
