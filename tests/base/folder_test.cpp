#include "heed/base/folder.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::TemporaryFolder;

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::error_code reason;
  FolderNames names(folder, reason);
  EXPECT_FALSE(reason) << reason.message();
  std::set<std::string> found;
  while (const char* name = names.next()) EXPECT_TRUE(found.insert(name).second);
  return found;
}

TEST(FolderNames, AreThoseOfFilesAndFolders) {
  const TemporaryFolder folder;
  EXPECT_EQ(names_in(folder.path("")), std::set<std::string>());
  folder.put("a", "");
  folder.put(".hidden", "");
  std::filesystem::create_directory(folder.path("inner"));
  folder.put("inner/b", "");
  EXPECT_EQ(names_in(folder.path("")), (std::set<std::string>{"a", ".hidden", "inner"}));
}

TEST(FolderNames, TellWhyThereAreNone) {
  const TemporaryFolder folder;
  std::error_code reason;
  FolderNames absent(folder.path("absent"), reason);
  EXPECT_EQ(reason, std::errc::no_such_file_or_directory);
  EXPECT_EQ(absent.next(), nullptr);
  absent.remove_files();
  FolderNames file(folder.put("file", ""), reason);
  EXPECT_EQ(reason, std::errc::not_a_directory);
}

TEST(FolderEntries, AreSortedPathsOfFilesAndFolders) {
  const TemporaryFolder folder;
  for (const char* name : {"c", "a", ".hidden"}) folder.put(name, "");
  std::filesystem::create_directory(folder.path("b"));
  const std::filesystem::path path = folder.path("");
  EXPECT_EQ(entries_of(path), (std::vector<std::filesystem::path>{path / ".hidden", path / "a",
                                                                  path / "b", path / "c"}));
  EXPECT_TRUE(entries_of(path / "absent").empty());
}

TEST(FolderNames, RemovesFilesAlsoAfterTheLastWasRead) {
  const TemporaryFolder folder;
  folder.put("a", "");
  std::filesystem::create_directory(folder.path("inner"));
  folder.put("inner/b", "");
  std::error_code reason;
  FolderNames names(folder.path(""), reason);
  while (names.next() != nullptr) {
  }
  folder.put("later", "");
  names.remove_files();
  EXPECT_EQ(names_in(folder.path("")), std::set<std::string>{"inner"});
  EXPECT_EQ(names_in(folder.path("inner")), std::set<std::string>{"b"});
}

}  // namespace
}  // namespace heed
