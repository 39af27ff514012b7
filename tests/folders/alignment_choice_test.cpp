#include "heed/folders/alignment_choice.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "heed/base/files.h"

namespace heed {
namespace {

TEST(AlignmentChoice, IsReadAsItWasWritten) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "heed_alignment_choice";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  EXPECT_FALSE(load_alignment_choice(folder).has_value());
  for (const AttentionChoice choice : {AttentionChoice{2, 3}, AttentionChoice{6, 0}}) {
    save_alignment_choice(folder, choice);
    EXPECT_EQ(load_alignment_choice(folder)->layer, choice.layer);
    EXPECT_EQ(load_alignment_choice(folder)->head, choice.head);
  }
  for (const char* damaged : {"", "cross", "cross:", "cross:0:1", "encoder:1:1", "cross:1:2:3",
                              "cross:1:x", "cross:99999999999"}) {
    write_file_atomically(folder / "alignment-head", damaged);
    EXPECT_NE(testing::error_of([&] { load_alignment_choice(folder); }).find("cross:2:3"),
              std::string::npos)
        << damaged;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace heed
