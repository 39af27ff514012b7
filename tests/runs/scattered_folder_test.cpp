#include "heed/runs/scattered_folder.h"

#include <gtest/gtest.h>

#include "heed/base/files.h"
#include "temporary_folder.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::run_ranks;
using heed::testing::TemporaryFolder;
using heed::testing::ThreadCommunicator;

class ScatteredFolderTest : public ::testing::Test {
 protected:
  ScatteredFolderTest() {
    std::filesystem::create_directories(files_.path("first/training"));
    std::filesystem::create_directories(files_.path("other/training"));
    files_.put("first/config.json", "{}");
    files_.put("first/a name.spm", "pieces");
    files_.put("first/empty.json", "");
    files_.put("first/model.safetensors", "weights");
    files_.put("first/training/train.pairs", std::string(3'000'000, 'x') + "end");
    files_.put("first/training/valid.pairs", "pairs");
  }

  std::string text_in(const std::filesystem::path& folder, const std::string& name) const {
    const std::filesystem::path file = folder / name;
    if (!std::filesystem::exists(file)) return "(missing)";
    return std::string(MappedFile(file).text());
  }

  const TemporaryFolder files_;
};

TEST_F(ScatteredFolderTest, WhoSeesTheFolderUsesIt) {
  run_ranks(3, [&](ThreadCommunicator& ranks) {
    EXPECT_EQ(ScatteredFolder(files_.path("first"), ranks).folder(), files_.path("first"));
  });
  EXPECT_TRUE(std::filesystem::exists(files_.path("first/model.safetensors")));
}

// Also if there is a folder of the same name.
TEST_F(ScatteredFolderTest, TheOthersGetACopyThatGoesWithIt) {
  std::filesystem::path copy;
  run_ranks(3, [&](ThreadCommunicator& ranks) {
    const ScatteredFolder scattered(files_.path(ranks.rank() == 2 ? "other" : "first"), ranks);
    if (ranks.rank() != 2) {
      EXPECT_EQ(scattered.folder(), files_.path("first"));
      return;
    }
    copy = scattered.folder();
    for (const char* name : {"config.json", "a name.spm", "empty.json", "training/train.pairs",
                             "training/valid.pairs"})
      EXPECT_TRUE(text_in(copy, name) == text_in(files_.path("first"), name)) << name;
    EXPECT_EQ(text_in(copy, "model.safetensors"), "(missing)");
  });
  EXPECT_NE(copy, files_.path("other"));
  EXPECT_FALSE(std::filesystem::exists(copy));
  EXPECT_TRUE(std::filesystem::is_empty(files_.path("other/training")));
}

}  // namespace
}  // namespace heed
