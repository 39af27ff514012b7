// `heed train`, killed at many moments and with disks of many sizes.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "heed/training/checkpoint.h"
#include "train_process.h"

namespace heed {
namespace {

using heed::testing::kill_runs;
using heed::testing::SmallTraining;

TEST(TrainDisasters, EndsWithTheSameBytesAfterFiftyKills) {
  const int inside_a_write = kill_runs(SmallTraining(), 50);
  RecordProperty("kills_inside_a_write", inside_a_write);
  std::cout << inside_a_write << " of 50 kills met a file that was being written\n";
  EXPECT_GT(inside_a_write, 0);
}

// A disk of its own, in memory.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, "size=4m") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }

  bool mounted() const { return mounted_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }

  // Fills the disk until so many bytes are left.
  void leave(uintmax_t bytes) const {
    const uintmax_t free = std::filesystem::space(path_).available;
    std::ofstream(path("filler"), std::ios::binary) << std::string(free - std::min(free, bytes), 'x');
  }
  void free() const { std::filesystem::remove(path("filler")); }

 private:
  std::string path_;
  bool mounted_ = false;
};

uintmax_t size_of(const std::string& folder) {
  uintmax_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) sum += entry.file_size();
  return sum;
}

TEST(TrainDisasters, SurvivesAFullDisk) {
  const SmallTraining training;
  const SmallDisk disk(training.path("disk"));
  if (!disk.mounted()) GTEST_SKIP() << "a small disk can be mounted only by root";
  const std::string model = disk.path("model");
  ASSERT_EQ(training.run(model), 0) << training.output();
  const std::string expected = SmallTraining::weights(model);
  const uintmax_t needed = size_of(model);
  int checkpoints = 0;
  constexpr int levels = 10;
  for (int level = 0; level < levels; ++level) {
    SCOPED_TRACE(fmt::format("{} bytes of {}", needed * level / levels, needed));
    std::filesystem::remove_all(model);
    disk.leave(needed * level / levels);
    EXPECT_EQ(training.run(model), 1) << training.output();
    const std::string said = training.output(), last = said.substr(said.rfind('\n', said.size() - 2) + 1);
    EXPECT_TRUE(last.starts_with("heed: " + model)) << last;
    EXPECT_TRUE(last.ends_with(": No space left on device\n")) << last;
    const auto checkpoint = load_checkpoint(model + "/training/state.safetensors");
    checkpoints += checkpoint.has_value();
    disk.free();
    EXPECT_EQ(training.run(model), 0) << training.output();
    EXPECT_TRUE(SmallTraining::weights(model) == expected);
  }
  std::cout << checkpoints << " of " << levels << " runs had made a checkpoint when the disk was full\n";
  EXPECT_GT(checkpoints, 0);
}

}  // namespace
}  // namespace heed
