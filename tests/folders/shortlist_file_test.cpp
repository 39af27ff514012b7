#include "heed/folders/shortlist_file.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::TemporaryFolder;

TEST(ShortlistFile, KeepsTheLists) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_shortlist(folder.path(""), 3, 9));
  const Shortlist saved(
      {.frequent = {2, 3}, .offsets = {0, 1, 1, 3}, .targets = {8, 4, 5}, .with_source = false}, 3,
      9);
  save_shortlist(folder.path(""), saved);
  const std::optional<Shortlist> found = load_shortlist(folder.path(""), 3, 9);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->lists().frequent, saved.lists().frequent);
  EXPECT_EQ(found->lists().offsets, saved.lists().offsets);
  EXPECT_EQ(found->lists().targets, saved.lists().targets);
  EXPECT_EQ(found->lists().with_source, saved.lists().with_source);
  EXPECT_EQ(
      error_of([&] { load_shortlist(folder.path(""), 4, 9); }),
      folder.path("shortlist.safetensors") + ": 4 offsets but 5 were expected for 4 source words");
}

TEST(ShortlistFile, NoticesDamage) {
  const TemporaryFolder folder;
  save_shortlist(folder.path(""),
                 Shortlist({.frequent = {}, .offsets = {0, 1}, .targets = {5}}, 1, 9));
  std::string bytes = folder.text("shortlist.safetensors");
  bytes[bytes.rfind('\5')] = '\6';
  folder.put("shortlist.safetensors", bytes);
  EXPECT_TRUE(error_of([&] {
                load_shortlist(folder.path(""), 1, 9);
              }).starts_with(folder.path("shortlist.safetensors") + ": damaged"));
}

}  // namespace
}  // namespace heed
