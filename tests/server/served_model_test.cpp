#include "heed/server/served_model.h"

#include <gtest/gtest.h>

#include <chrono>

#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;

TEST(ServedModel, NoticesChangedFilesOfAnyToolsModel) {
  const TemporaryFolder folder;
  for (const char* name : {"model.bin", "model.npz", "vocab.de.spm", "training.jsonl"})
    folder.put(name, "1");
  const NamedFolder named = {.languages = {"en", "de"}, .folder = folder.path("")};
  const auto touch = [&](const char* name, int minutes) {
    std::filesystem::last_write_time(
        folder.path(name),
        std::filesystem::file_time_type::clock::now() + std::chrono::minutes(minutes));
  };
  int minutes = 0;
  for (const char* name : {"model.bin", "model.npz", "vocab.de.spm"}) {
    const auto before = ServedModel::stamps_of(named);
    touch(name, ++minutes);
    EXPECT_NE(ServedModel::stamps_of(named), before) << name;
  }
  const auto before = ServedModel::stamps_of(named);
  touch("training.jsonl", ++minutes);
  EXPECT_EQ(ServedModel::stamps_of(named), before);
}

// As "cp -p", rsync and tar put it there.
TEST(ServedModel, NoticesAFileThatIsOlderThanOthersAndOneThatIsGone) {
  const TemporaryFolder folder;
  for (const char* name : {"model.bin", "config.json", "vocab.spm"}) folder.put(name, "1");
  const NamedFolder named = {.languages = {"en", "de"}, .folder = folder.path("")};
  const auto at_first = ServedModel::stamps_of(named);
  const auto time = std::filesystem::last_write_time(folder.path("model.bin"));
  std::filesystem::last_write_time(folder.path("model.bin"), time - std::chrono::hours(1));
  const auto with_older = ServedModel::stamps_of(named);
  EXPECT_NE(with_older, at_first);
  folder.put("model.bin", "another");
  std::filesystem::last_write_time(folder.path("model.bin"), time - std::chrono::hours(1));
  const auto with_longer = ServedModel::stamps_of(named);
  EXPECT_NE(with_longer, with_older);
  std::filesystem::remove(folder.path("vocab.spm"));
  EXPECT_NE(ServedModel::stamps_of(named), with_longer);
}

TEST(ServedModel, NoticesAChangedFileThatIsAWholeModel) {
  const TemporaryFolder folder;
  const NamedFolder named = {.languages = {"en", "de"}, .folder = folder.put("a.argosmodel", "1")};
  const auto before = ServedModel::stamps_of(named);
  ASSERT_EQ(before.size(), 1u);
  std::filesystem::last_write_time(named.folder, before[0].time + std::chrono::minutes(1));
  EXPECT_EQ(ServedModel::stamps_of(named)[0].time, before[0].time + std::chrono::minutes(1));
}

}  // namespace
}  // namespace heed
