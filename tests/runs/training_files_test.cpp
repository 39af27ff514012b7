#include "heed/runs/training_files.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;
using Strings = std::vector<std::string>;

TEST(TrainingFiles, AreKnownByTheirBytes) {
  const TemporaryFolder folder;
  const Strings files = {folder.put("a", "one\n"), folder.put("b", "two\n")};
  const FileMarks before = mark_files(files, {});
  EXPECT_EQ(changed_files(files, before, mark_files(files, before)), Strings{});
  folder.put("b", "TWO\n");
  EXPECT_EQ(changed_files(files, before, mark_files(files, before)), Strings{files[1]});
  folder.put("a", "one\nmore\n");
  EXPECT_EQ(changed_files(files, before, mark_files(files, before)), files);
}

TEST(TrainingFiles, MayBeCopiesWithOtherTimes) {
  const TemporaryFolder folder;
  const Strings files = {folder.put("a", "one\n")};
  const FileMarks before = mark_files(files, {});
  std::filesystem::last_write_time(
      files[0], std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  const FileMarks now = mark_files(files, before);
  EXPECT_NE(now[0]->modified, before[0]->modified);
  EXPECT_EQ(changed_files(files, before, now), Strings{});
}

// Corpora can be large.
TEST(TrainingFiles, AreNotReadAgainWhereSizeAndTimeAreTheSame) {
  const TemporaryFolder folder;
  const Strings files = {folder.put("a", "one\n")};
  FileMarks before = mark_files(files, {});
  before[0]->checksum = 5;
  EXPECT_EQ(mark_files(files, before)[0]->checksum, 5u);
}

TEST(TrainingFiles, MayBeGoneOrNoFiles) {
  const TemporaryFolder folder;
  const Strings files = {folder.put("a", "one\n"), "/dev/null", folder.path("")};
  const TrainingFiles before = {mark_files(files, {}), {}, {}};
  EXPECT_FALSE(before.train[1] || before.train[2]);
  std::filesystem::remove(files[0]);
  const TrainingFiles now = {mark_files(files, before.train), {}, {}};
  EXPECT_FALSE(now.train[0]);
  EXPECT_EQ(changed_files(files, before.train, now.train), Strings{});
  // It may come back, and with another text.
  EXPECT_EQ(remembered(before, now).train, before.train);
}

TEST(TrainingFiles, AreRememberedInAFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(load_training_files(folder.path("files.json")).train.empty());
  const TrainingFiles files = {{FileMark{1, -2, 3}, std::nullopt}, {FileMark{4, 5, 6}}, {}};
  save_training_files(folder.path("files.json"), files);
  const TrainingFiles loaded = load_training_files(folder.path("files.json"));
  EXPECT_EQ(loaded.train, files.train);
  EXPECT_EQ(loaded.valid, files.valid);
  EXPECT_EQ(loaded.vocabulary, files.vocabulary);
  for (const char* text : {"", "{}", "[1]", "{\"train\": [{\"size\": \"x\"}]}"}) {
    folder.put("files.json", text);
    EXPECT_TRUE(error_of([&] {
                  load_training_files(folder.path("files.json"));
                }).starts_with(folder.path("files.json") + ": is damaged: "))
        << text;
  }
}

}  // namespace
}  // namespace heed
