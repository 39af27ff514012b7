// What heed train does with a folder in which a run was begun.
#include <chrono>
#include <filesystem>

#include "heed/folders/model_folder.h"
#include "train_command_test.h"

namespace heed {
namespace {

using testing::Outcome;
using testing::TrainCommandTest;

TEST_F(TrainCommandTest, KnowsThatARunIsFinishedAndGoesOnWithALargerBudget) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  const Outcome again = train();
  EXPECT_EQ(again.code, 0);
  EXPECT_TRUE(again.err.ends_with(
      "this run is finished; a larger budget (--steps, --epochs, --time) would continue it\n"))
      << again.err;
  EXPECT_TRUE(weights() == before);
  const Outcome more = train({{"--steps", {"6"}}});
  EXPECT_EQ(more.code, 0);
  EXPECT_NE(more.err.find("; continuing at step 3\n"), std::string::npos) << more.err;
  EXPECT_FALSE(weights() == before);
}

TEST_F(TrainCommandTest, TakesUpTheSameCommandWithoutItsCorpus) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::remove(path("a.written"));
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesACorpusThatHasChangedByItsName) {
  const Flags valid = {{"--valid", {path("v.written"), path("v.iso")}}, {"--steps", {"6"}}};
  write("v.written", "3 May 1979\n");
  write("v.iso", "1979-05-03\n");
  Flags begun = valid;
  begun["--steps"] = {"3"};
  ASSERT_EQ(train(begun).code, 0);
  const std::string before = weights();
  write("v.iso", "1979-05-30\n");
  EXPECT_EQ(complaint(valid),
            "v.iso: has changed since the run was started; --override continues with the new text");
  write("a.written", read("a.written") + "3 May 1979\n");
  write("a.iso", read("a.iso") + "1979-05-03\n");
  EXPECT_EQ(complaint(valid),
            "a.written, a.iso, v.iso: have changed since the run was started; --override continues "
            "with the new text");
  EXPECT_TRUE(weights() == before);
  Flags changed = valid;
  changed["--override"] = {""};
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("121 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("continuing at step 3"), std::string::npos) << outcome.err;
  // From now on, these are the files of the run.
  changed.erase("--override");
  changed["--steps"] = {"9"};
  EXPECT_EQ(train(changed).code, 0);
}

TEST_F(TrainCommandTest, ReadsOnlyTheCorpusAnewThatHasChanged) {
  write("v.written", "3 May 1979\n");
  write("v.iso", "1979-05-03\n");
  const Flags valid = {{"--valid", {path("v.written"), path("v.iso")}}};
  ASSERT_EQ(train(valid).code, 0);
  std::filesystem::remove(path("a.written"));
  write("v.iso", "1979-05-30\n");
  Flags changed = valid;
  changed.insert({{"--override", {""}}, {"--steps", {"6"}}});
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  // If a file is needed but gone, nothing is thrown away.
  write("a.iso", "1979-05-30\n");
  changed["--steps"] = {"9"};
  EXPECT_EQ(complaint(changed), "a.written: cannot be read: No such file or directory");
  std::filesystem::remove(path("a.iso"));
  EXPECT_EQ(train(changed).code, 0);
}

TEST_F(TrainCommandTest, TakesCopiesOfTheCorpusWithOtherTimes) {
  ASSERT_EQ(train().code, 0);
  write("a.written", read("a.written"));
  std::filesystem::last_write_time(
      path("a.iso"), std::filesystem::file_time_type::clock::now() - std::chrono::hours(9));
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

TEST_F(TrainCommandTest, RefusesVocabularyFilesThatHaveChanged) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::copy(path("model/source.spm"), path("words.spm"));
  std::filesystem::remove_all(path("model"));
  const Flags words = {{"--vocabulary-files", {path("words.spm")}}, {"--steps", {"6"}}};
  ASSERT_EQ(train({*words.find("--vocabulary-files")}).code, 0);
  write("words.spm", read("words.spm") + "x");
  Flags changed = words;
  for (const bool override : {false, true}) {
    if (override) changed["--override"] = {""};
    EXPECT_EQ(complaint(changed),
              "words.spm: has changed since the run was started, but a run's vocabulary cannot "
              "change; a new run needs an empty folder");
  }
  std::filesystem::remove(path("words.spm"));
  EXPECT_EQ(train(words).code, 0);
}

TEST_F(TrainCommandTest, PreparesAChangedCorpusAnewBeforeTheFirstCheckpoint) {
  ASSERT_EQ(train().code, 0);
  std::filesystem::remove(path("model/training/state.safetensors"));
  write("a.written", "3 May 1979\n4 May 1979\n5 May 1979\n");
  write("a.iso", "1979-05-03\n1979-05-04\n1979-05-05\n");
  const Outcome outcome = train();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("2 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommandTest, RefusesAChangedSettingByItsName) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights(), settings = read("model/training/settings.json");
  EXPECT_EQ(complaint({{"--learning-rate", {"0.5"}}, {"--steps", {"6"}}}),
            "model: the run was started with other settings: learning-rate (not set, now 0.5); "
            "--override continues with the new ones");
  EXPECT_EQ(complaint({{"--batch", {"600"}}, {"--seed", {"9"}}}),
            "model: the run was started with other settings: batch (512, now 600), seed (1, now "
            "9); --override continues with the new ones");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(read("model/training/settings.json"), settings);
}

TEST_F(TrainCommandTest, TakesAChangedSettingOnPurpose) {
  ASSERT_EQ(train().code, 0);
  const Flags changed = {{"--learning-rate", {"0.5"}},
                         {"--batch", {"2000"}},
                         {"--dropout", {"0.25"}},
                         {"--steps", {"6"}},
                         {"--override", {""}}};
  const Outcome outcome = train(changed);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("continuing at step 3"), std::string::npos);
  EXPECT_EQ(std::get<TransformerConfig>(load_model_folder(path("model")).config).dropout, 0.25);
  Flags same = changed;
  same.erase("--override");
  same["--steps"] = {"9"};
  EXPECT_EQ(train(same).code, 0);
}

TEST_F(TrainCommandTest, TakesAnotherCorpusOnPurpose) {
  ASSERT_EQ(train().code, 0);
  write("b.written", "3 May 1979\n4 May 1979\n5 May 1979\n");
  write("b.iso", "1979-05-03\n1979-05-04\n1979-05-05\n");
  const Outcome outcome = train(
      {{"--train", {path("b.written"), path("b.iso")}}, {"--steps", {"6"}}, {"--override", {""}}});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("; 2 pairs for training, 1 for validation"), std::string::npos)
      << outcome.err;
}

TEST_F(TrainCommandTest, RefusesChangesThatTheWeightsDoNotFit) {
  ASSERT_EQ(train().code, 0);
  const std::string before = weights();
  EXPECT_EQ(complaint({{"--width", {"32"}}, {"--override", {""}}}),
            "model: the run's weights do not fit the new model settings; a new run needs an empty "
            "folder");
  EXPECT_EQ(complaint({{"--vocabulary-kind", {"bpe"}}, {"--override", {""}}}),
            "model: a run's task and vocabulary cannot change: vocabulary-kind (characters, now "
            "bpe); a new "
            "run needs an empty folder");
  EXPECT_TRUE(weights() == before);
  EXPECT_EQ(train({{"--steps", {"6"}}}).code, 0);
}

// Until there is something to lose, a mistake can simply be corrected.
TEST_F(TrainCommandTest, PreparesAnewWhereNoStepWasSaved) {
  EXPECT_EQ(
      complaint({{"--vocabulary-kind", {"unigram"}}, {"--vocabulary", {"90000"}}}).substr(0, 22),
      "a vocabulary of 90000 ");
  EXPECT_EQ(train({{"--seed", {"4"}}}).code, 0);
}

}  // namespace
}  // namespace heed
