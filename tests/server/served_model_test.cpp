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
    const auto before = ServedModel::last_write(named);
    touch(name, ++minutes);
    EXPECT_GT(ServedModel::last_write(named), before) << name;
  }
  const auto before = ServedModel::last_write(named);
  touch("training.jsonl", ++minutes);
  EXPECT_EQ(ServedModel::last_write(named), before);
}

TEST(ServedModel, NoticesAChangedFileThatIsAWholeModel) {
  const TemporaryFolder folder;
  const NamedFolder named = {.languages = {"en", "de"}, .folder = folder.put("a.argosmodel", "1")};
  const auto before = ServedModel::last_write(named);
  std::filesystem::last_write_time(named.folder, before + std::chrono::minutes(1));
  EXPECT_EQ(ServedModel::last_write(named), before + std::chrono::minutes(1));
}

}  // namespace
}  // namespace heed
