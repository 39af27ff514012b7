#include "heed/runs/language_task.h"

#include <gtest/gtest.h>

#include "comparable_files.h"
#include "error_of.h"
#include "heed/decoding/text_generator.h"
#include "heed/runs/training_run.h"
#include "sample_text.h"
#include "temporary_folder.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using testing::comparable_files;
using testing::error_of;
using testing::made_up_sentence;
using testing::same_files;

// Verses, and a small model to learn them.
class SmallLanguageRun {
 public:
  SmallLanguageRun() {
    files_.put("train.txt", verses(0, 300));
    files_.put("valid.txt", verses(300, 320));
    settings.task = Task::language;
    settings.train = {path("train.txt")};
    settings.valid = {path("valid.txt")};
    settings.folder = path("model");
    settings.vocabulary.kind = VocabularyKind::characters;
    settings.model = {
        {"layers", "1"}, {"width", "16"}, {"ffn", "32"}, {"heads", "2"}, {"context-length", "32"}};
    settings.learning = {{"learning-rate", "0.01"}, {"warm-up", "5"}, {"ema", "0.9"}};
    settings.batch_tokens = 256;
    settings.trainer.steps = 12;
    settings.trainer.validate_every = 5;
    settings.threads = 1;
  }

  std::string path(const std::string& name) const { return files_.path(name); }
  std::string text(const std::string& name) const { return files_.text(name); }
  const testing::TemporaryFolder& files() const { return files_; }

  TrainingSettings settings;

 private:
  static std::string verses(uint64_t begin, uint64_t end) {
    std::string text;
    for (uint64_t i = begin; i < end; ++i)
      text += made_up_sentence(i) + (i % 4 == 3 ? "\n\n" : "\n");
    return text;
  }

  testing::TemporaryFolder files_;
};

TEST(LanguageTask, LeavesAModelThatContinuesTexts) {
  SmallLanguageRun small;
  std::vector<std::string> sentences;
  std::vector<Validation> validations;
  TrainingSummary begun;
  TrainingCallbacks callbacks;
  callbacks.prepares = [&](const std::string& sentence) { sentences.push_back(sentence); };
  callbacks.begins = [&](const TrainingSummary& summary) { begun = summary; };
  callbacks.validated = [&](const Validation& found, const Progress&) {
    validations.push_back(found);
  };
  EXPECT_EQ(train(small.settings, callbacks), TrainingEnd::budget);
  EXPECT_EQ(begun.model, "language-model");
  EXPECT_EQ(begun.source_vocabulary, 0);
  EXPECT_EQ(begun.operations_per_source_token, 0);
  ASSERT_EQ(validations.size(), 3u);
  EXPECT_LT(validations[2].cross_entropy, validations[0].cross_entropy);
  ASSERT_TRUE(validations[2].outputs.has_value());
  const std::vector<SampleOutput>& samples = validations[2].outputs->samples;
  ASSERT_EQ(samples.size(), 1u);  // there is one document, of one part
  EXPECT_TRUE(small.text("valid.txt").starts_with(samples[0].source + samples[0].reference));
  EXPECT_FALSE(samples[0].output.empty());

  const TextGenerator generator = TextGenerator::load(small.path("model"));
  EXPECT_EQ(
      generator.generate({.prompt = made_up_sentence(2).substr(0, 9), .options = {.max_tokens = 5}})
          .front()
          .ids.size(),
      5u);
}

TEST(LanguageTask, LeavesTheSameFilesOnAnyNumberOfThreadsAndRanks) {
  SmallLanguageRun small;
  small.settings.folder = small.path("1/model");
  train(small.settings);
  for (const int threads : {2, 4}) {
    small.settings.threads = threads;
    small.settings.folder = small.path(std::to_string(threads) + "/model");
    train(small.settings);
    EXPECT_TRUE(same_files(comparable_files(small.settings.folder),
                           comparable_files(small.path("1/model"))));
  }
  small.settings.threads = 1;
  small.settings.folder = small.path("ranks/model");
  testing::run_ranks(2, [&](Communicator& ranks) {
    TrainingRun run(small.settings, {}, ranks);
    EXPECT_EQ(run.train(), TrainingEnd::budget);
  });
  EXPECT_TRUE(same_files(comparable_files(small.path("ranks/model")),
                         comparable_files(small.path("1/model"))));
}

TEST(LanguageTask, AnInterruptedRunContinuesToTheSameBytes) {
  SmallLanguageRun small;
  small.settings.valid.clear();  // a part is held out
  small.settings.documents = DocumentEnd::blank_line;
  small.settings.folder = small.path("whole/model");
  train(small.settings);
  small.settings.folder = small.path("parts/model");
  for (const int64_t end : {1, 5, 7}) {
    int64_t taken = 0;
    TrainingCallbacks until_end;
    until_end.step = [&](const StepReport& report, const Progress&) { taken = report.step; };
    until_end.interrupted = [&] { return taken == end; };
    EXPECT_EQ(train(small.settings, until_end), TrainingEnd::interrupted);
  }
  EXPECT_EQ(train(small.settings), TrainingEnd::budget);
  EXPECT_TRUE(same_files(comparable_files(small.path("parts/model")),
                         comparable_files(small.path("whole/model"))));
}

TEST(LanguageTask, ARunGoesOnWithOtherSettingsOfItsModelButNotOfItsTask) {
  SmallLanguageRun small;
  train(small.settings);
  small.settings.trainer.steps = 14;
  small.settings.model["dropout"] = "0.2";
  small.settings.change_settings = true;
  EXPECT_EQ(train(small.settings), TrainingEnd::budget);
  small.settings.task = Task::translate;
  small.settings.model.clear();
  EXPECT_NE(error_of([&] {
              train(small.settings);
            }).find("a run's task and vocabulary cannot change: task (language, now translate)"),
            std::string::npos);
}

TEST(LanguageTask, SettingsThatCannotWorkAreRefused) {
  const auto refusal = [](const auto& change) {
    SmallLanguageRun small;
    change(small.settings);
    const std::string sentence = error_of([&] { train(small.settings); });
    EXPECT_FALSE(std::filesystem::exists(small.path("model"))) << sentence;
    return sentence;
  };
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.trainer.criterion = Criterion::bleu; }),
            "--criterion: bleu but a language model is judged by cross-entropy or perplexity");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.separate = true; }),
            "--separate-vocabularies: a language model has only one vocabulary");
  EXPECT_EQ(refusal([](TrainingSettings& s) {
              s.vocabulary_files = {"a", "b"};
            }),
            "--vocabulary-files: 2 but a language model has one vocabulary");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.sampling = 0.1; }),
            "--sampling: language models are not trained with it");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.watch = {"a"}; }),
            "--watch: only translations can be watched");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.model["context-length"] = "257"; }),
            "--batch: 256 tokens, but a window has 257 (--context-length)");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.model["encoder-layers"] = "2"; }),
            "--encoder-layers is not a setting of the model language-model");
  EXPECT_EQ(refusal([](TrainingSettings& s) { s.preset = "rnn"; }),
            "train: the preset is \"rnn\" but a language model has tiny, small and base");
}

TEST(LanguageTask, ATextWithoutDocumentsOrTooShortToHoldOneOutIsRefused) {
  SmallLanguageRun small;
  small.settings.train = {small.files().put("blank.txt", "\n \n\n")};
  EXPECT_EQ(error_of([&] { train(small.settings); }),
            small.path("blank.txt") + ": there is no text");
  small.settings.valid.clear();
  small.settings.train = {small.files().put("short.txt", "a b c\n")};
  EXPECT_EQ(error_of([&] { train(small.settings); }),
            small.path("short.txt") + ": one short text is not enough for training and validation");
}

TEST(LanguageTask, TheBatchFitsTheMemoryThatWasGiven) {
  SmallLanguageRun small;
  small.settings.memory = int64_t{200} << 20;
  EXPECT_EQ(train(small.settings), TrainingEnd::budget);
}

}  // namespace
}  // namespace heed
