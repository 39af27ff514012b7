#include "heed/runs/training_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "error_of.h"
#include "heed/folders/model_folder.h"
#include "small_run.h"

namespace heed {
namespace {

using heed::testing::error_of;

class TrainingFolderTest : public ::testing::Test {
 protected:
  PreparedTraining prepare() {
    said_.clear();
    return prepare_training(run_.settings,
                            [&](const std::string& sentence) { said_.push_back(sentence); });
  }

  testing::SmallRun run_;
  std::vector<std::string> said_;
};

TEST_F(TrainingFolderTest, EverythingThatARunNeedsIsPrepared) {
  const PreparedTraining prepared = prepare();
  EXPECT_EQ(prepared.train->pairs(), 200);
  EXPECT_EQ(prepared.valid->pairs(), 20);
  const ModelDescription written = load_model_description(run_.settings.folder);
  EXPECT_EQ(written.source.bytes(), written.target.bytes());
  const auto& model = std::get<TransformerConfig>(written.config);
  EXPECT_EQ(model.width, 16);
  EXPECT_EQ(model.source_vocabulary, written.source.size());
  EXPECT_EQ(prepared.taught->source_vocabulary(), written.source.size());
  EXPECT_EQ(prepared.taught->target_vocabulary(), written.target.size());
  EXPECT_EQ(prepared.taught->name(), "transformer");
  EXPECT_EQ(prepared.learner.schedule.learning_rate, 0.01);
  EXPECT_TRUE(written.lengths.known());
  EXPECT_EQ(said_.back(), "learning the vocabulary");
}

TEST_F(TrainingFolderTest, WhatIsThereIsNotMadeAgain) {
  prepare();
  const std::string vocabulary = run_.files().text("model/source.spm");
  for (const std::string& file : run_.settings.train) std::filesystem::remove(file);
  const PreparedTraining again = prepare();
  EXPECT_TRUE(said_.empty());
  EXPECT_EQ(again.train->pairs(), 200);
  EXPECT_TRUE(run_.files().text("model/source.spm") == vocabulary);
}

TEST_F(TrainingFolderTest, AnotherRankFindsTheSame) {
  const PreparedTraining prepared = prepare(), found = open_prepared(run_.settings);
  EXPECT_TRUE(prepared.lock.has_value());
  EXPECT_FALSE(found.lock.has_value());
  EXPECT_EQ(found.train->pairs(), prepared.train->pairs());
  EXPECT_EQ(found.valid->pairs(), prepared.valid->pairs());
  EXPECT_TRUE(found.learner == prepared.learner);
  EXPECT_TRUE(found.taught->seal() == prepared.taught->seal());
}

TEST_F(TrainingFolderTest, SomePairsAreHeldOutWhereNoneAreGiven) {
  run_.settings.valid.clear();
  const PreparedTraining prepared = prepare();
  EXPECT_EQ(prepared.valid->pairs(), 10);  // a twentieth
  EXPECT_EQ(prepared.train->pairs(), 190);
  EXPECT_FALSE(std::filesystem::exists(run_.path("model/training/all.pairs")));
}

TEST_F(TrainingFolderTest, TheSeedOfTheRunIsThatOfEverything) {
  run_.settings.seed = 7;
  EXPECT_EQ(prepare().learner.seed, 7u);
}

TEST_F(TrainingFolderTest, NothingIsMadeOfSettingsThatCannotWork) {
  const auto complaint = [&] { return error_of([&] { prepare(); }); };
  run_.settings.trainer.shards = 0;
  EXPECT_EQ(complaint(), "--shards: 0 but a whole number from 1 to 256 was expected");
  run_.settings.trainer.shards = 4;
  run_.settings.batch_tokens = 100;
  EXPECT_EQ(complaint(), "--batch: 100 tokens, but sentences may have up to 128 (--max-length)");
  run_.settings.folder.clear();
  EXPECT_EQ(complaint(), "train: a folder for the model was expected");
  run_.settings.train.clear();
  EXPECT_EQ(complaint(), "train: files to learn from were expected");
  EXPECT_FALSE(std::filesystem::exists(run_.path("model")));
}

}  // namespace
}  // namespace heed
