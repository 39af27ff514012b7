#include "heed/training/checkpoint.h"

#include <gtest/gtest.h>

#include <limits>

#include "error_of.h"
#include "heed/training/flat_blocks.h"
#include "heed/training/ownership.h"
#include "heed/weights/tensor_file.h"
#include "temporary_folder.h"
#include "tensors.h"
#include "thread_communicator.h"

namespace heed {
namespace {

using heed::testing::error_of;
using heed::testing::random_tensor;
using heed::testing::run_ranks;
using heed::testing::TemporaryFolder;
using heed::testing::values_of;

LearnerState some_state(bool averaged) {
  LearnerState state{.weights = random_tensor({64}, 1),
                     .first_moment = random_tensor({64}, 2),
                     .second_moment = random_tensor({64}, 3),
                     .ema = {},
                     .step = 120,
                     .updates = 117};
  if (averaged) state.ema = random_tensor({64}, 4);
  return state;
}

TEST(Checkpoint, GivesBackWhatWasSaved) {
  const TemporaryFolder folder;
  for (const bool averaged : {false, true}) {
    const LearnerState saved = some_state(averaged);
    save_checkpoint(folder.path("state"), saved, {.epochs = 3, .best = 2.5, .snapshots = {10, 20}});
    const std::optional<Checkpoint> loaded = load_checkpoint(folder.path("state"));
    ASSERT_TRUE(loaded.has_value());
    EXPECT_EQ(values_of(loaded->learner.weights), values_of(saved.weights));
    EXPECT_EQ(values_of(loaded->learner.first_moment), values_of(saved.first_moment));
    EXPECT_EQ(values_of(loaded->learner.second_moment), values_of(saved.second_moment));
    EXPECT_EQ(loaded->learner.ema.present(), averaged);
    if (averaged) {
      EXPECT_EQ(values_of(loaded->learner.ema), values_of(saved.ema));
    }
    EXPECT_EQ(loaded->learner.step, 120);
    EXPECT_EQ(loaded->learner.updates, 117);
    EXPECT_EQ(loaded->progress.epochs, 3);
    EXPECT_EQ(loaded->progress.best, 2.5);
    EXPECT_EQ(loaded->progress.snapshots, (std::vector<int64_t>{10, 20}));
  }
}

// Each rank brings what it owns; a piece that is sent is smaller than that.
TEST(Checkpoint, IsTheSameFileFromAnyNumberOfRanks) {
  const TemporaryFolder folder;
  const int64_t numbers = 140 * block_size + 16;
  const LearnerState whole{.weights = random_tensor({numbers}, 1),
                           .first_moment = random_tensor({numbers}, 2),
                           .second_moment = random_tensor({numbers}, 3),
                           .ema = random_tensor({numbers}, 4),
                           .step = 120,
                           .updates = 117};
  const Progress progress = {.epochs = 3};
  save_checkpoint(folder.path("alone"), whole, progress);
  for (const int count : {2, 3, 50}) {
    run_ranks(count, [&](Communicator& ranks) {
      const Ownership ownership(numbers, ranks);
      LearnerState mine = whole;
      for (Tensor LearnerState::*array :
           {&LearnerState::first_moment, &LearnerState::second_moment, &LearnerState::ema}) {
        mine.*array = Tensor::zeros({ownership.owned()});
        ownership.take((whole.*array).span<float>(), (mine.*array).span<float>());
      }
      save_checkpoint(folder.path("ranks"), mine, progress, ranks);
    });
    EXPECT_TRUE(folder.text("ranks") == folder.text("alone")) << count << " ranks";
  }
}

TEST(Checkpoint, MayBeAbsent) {
  const TemporaryFolder folder;
  EXPECT_FALSE(load_checkpoint(folder.path("state")).has_value());
}

TEST(Checkpoint, RefusesADamagedFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("state");
  save_checkpoint(file, some_state(true), {});
  const std::string whole = folder.text("state");
  for (size_t size = 0; size < whole.size(); size += 1 + size / 8) {
    folder.put("state", whole.substr(0, size));
    const std::string sentence = error_of([&] { load_checkpoint(file); });
    EXPECT_TRUE(sentence.starts_with(file + ": ")) << size << ": " << sentence;
  }
}

TEST(Checkpoint, RefusesOtherFiles) {
  const TemporaryFolder folder;
  const std::string file = folder.path("state");
  const auto complaint = [&](const TensorFileWriter& writer) {
    writer.save(file);
    return error_of([&] { load_checkpoint(file); });
  };
  TensorFileWriter writer;
  writer.add("ema", random_tensor({3}, 1));
  for (const char* name : {"weights", "first-moment", "second-moment"}) {
    const std::string expected =
        fmt::format("{}: array \"{}\" is missing; the file holds", file, name);
    EXPECT_TRUE(complaint(writer).starts_with(expected)) << complaint(writer);
    writer.add(name, random_tensor({3}, 1));
  }
  EXPECT_TRUE(complaint(writer).starts_with(file + ": array \"steps\" is missing; the file holds"));
  TensorFileWriter three = writer;
  three.add_integers("steps", {3}, {1, 2, 3});
  EXPECT_EQ(complaint(three), file + ": array \"steps\" has 3 elements but 2 were expected");
  writer.add_integers("steps", {2}, {1, 2});
  EXPECT_EQ(complaint(writer), file + ": the progress of the run is missing");
  writer.set_metadata("heed.progress", to_json(Progress{}));
  EXPECT_EQ(complaint(writer), file + ": damaged: the checksum is missing");
}

// The numbers, the steps and the progress: a run that went on from others would end with others.
TEST(Checkpoint, NoticesABitInAnyByte) {
  const TemporaryFolder folder;
  const std::string file = folder.path("state");
  save_checkpoint(file, some_state(true), {.epochs = 3});
  const std::string whole = folder.text("state");
  for (size_t byte = 0; byte < whole.size(); ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1 << byte % 8);
    folder.put("state", damaged);
    const std::string sentence = error_of([&] { load_checkpoint(file); });
    EXPECT_TRUE(sentence.starts_with(file + ": ")) << byte << ": " << sentence;
  }
}

TEST(Checkpoint, RefusesWhatNothingCanBeLearntFrom) {
  const TemporaryFolder folder;
  const std::string file = folder.path("state");
  for (const auto& [name, array] : {std::pair{"weights", &LearnerState::weights},
                                    {"first-moment", &LearnerState::first_moment},
                                    {"second-moment", &LearnerState::second_moment},
                                    {"ema", &LearnerState::ema}}) {
    LearnerState state = some_state(true);
    (state.*array).span<float>()[7] = std::numeric_limits<float>::quiet_NaN();
    save_checkpoint(file, state, {});
    EXPECT_EQ(error_of([&] { load_checkpoint(file); }),
              fmt::format("{}: array \"{}\" holds nan at (7) but finite numbers were expected",
                          file, name));
  }
  LearnerState state = some_state(true);
  for (const auto& [step, updates] : {std::pair{-1, 0}, {3, 4}, {3, -4}}) {
    state.step = step;
    state.updates = updates;
    save_checkpoint(file, state, {});
    EXPECT_EQ(error_of([&] { load_checkpoint(file); }),
              fmt::format("{}: {} updates in {} steps", file, updates, step));
  }
}

TEST(Snapshot, GivesBackWhatWasSavedOrAnError) {
  const TemporaryFolder folder;
  const std::string file = folder.path("snapshot");
  const Tensor weights = random_tensor({64}, 1);
  save_snapshot(file, weights);
  EXPECT_EQ(values_of(load_snapshot(file)), values_of(weights));
  std::string damaged = folder.text("snapshot");
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  folder.put("snapshot", damaged);
  const std::string sentence = error_of([&] { load_snapshot(file); });
  EXPECT_TRUE(sentence.starts_with(file + ": damaged: the checksum is crc32:")) << sentence;
}

}  // namespace
}  // namespace heed
