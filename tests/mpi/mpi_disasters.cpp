// `heed-mpi train` with every kind of step on many numbers of ranks, and killed at many moments.
#include <iostream>

#include "mpi_training.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using heed::testing::comparable_files;
using heed::testing::FileBytes;
using heed::testing::Flags;
using heed::testing::MpiProcess;
using heed::testing::MpiTraining;
using heed::testing::rich;
using heed::testing::same_files;
using heed::testing::with;

// What a step can have, one by one and together.
std::map<std::string, Flags> kinds() {
  const Flags plain = {{"--width", "64"},    {"--ffn", "128"},    {"--steps", "12"},
                       {"--ema", "0"},       {"--sampling", "0"}, {"--average-last", "0"},
                       {"--save-every", "4"}};
  return {{"Plain", plain},
          {"Accumulation", with(plain, {{"--accumulate", "3"}})},
          {"Ema", with(plain, {{"--ema", "0.9"}})},
          {"RDrop", with(plain, {{"--r-drop", "1"}})},
          {"Sampling", with(plain, {{"--sampling", "0.2"}})},
          {"Averaging", with(plain, {{"--average-last", "3"}, {"--validate-every", "3"}})},
          {"OneShard", with(plain, {{"--shards", "1"}})},
          {"All", rich}};
}

class MpiMatrix : public MpiTraining,
                  public ::testing::WithParamInterface<std::pair<const std::string, Flags>> {};

TEST_P(MpiMatrix, EndsWithTheFilesOfOneProcess) {
  const Flags& flags = GetParam().second;
  ASSERT_EQ(training_.run(path("alone/model"), flags), 0) << output();
  const FileBytes expected = comparable_files(path("alone/model"));
  ASSERT_TRUE(expected.contains("model.safetensors"));
  for (const int ranks : {1, 2, 3, 4, 8})
    for (const char* threads : {"1", "2"}) {
      const std::string model = std::to_string(ranks) + "x" + threads + "/model";
      ASSERT_EQ(run(ranks, model, with(flags, {{"--threads", threads}})), 0) << output();
      EXPECT_TRUE(same_files(comparable_files(path(model)), expected)) << model;
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MpiMatrix, ::testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.first; });

TEST_F(MpiTraining, EndsWithTheSameFilesAfterThirtyKills) {
  constexpr int kills = 30;
  const Flags flags = with(rich, {{"--save-every", "1"}, {"--steps", "40"}});
  ASSERT_EQ(training_.run(path("alone/model"), flags), 0) << output();
  const FileBytes expected = comparable_files(path("alone/model"));
  Rng rng(17);
  int killed = 0, runs = 0, rank_zero = 0;
  while (killed < kills && !HasFailure()) {
    const std::string model = "killed/model";
    fs::remove_all(path(model));
    for (bool ended = false; !ended && killed < kills;) {
      const int ranks = 1 + static_cast<int>(rng.below(4));
      MpiProcess process(ranks, training_.arguments(path(model), flags), path("output"));
      // From the start of MPI to some steps after the first.
      std::this_thread::sleep_for(std::chrono::milliseconds(100 + rng.below(4000)));
      const std::vector<pid_t> processes = process.ranks();
      ended = processes.empty();
      if (ended) continue;
      const size_t victim = rng.below(processes.size());
      rank_zero += victim == 0;
      ::kill(processes[victim], SIGKILL);
      const auto begin = std::chrono::steady_clock::now();
      const int code = process.wait();
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
      // It may have been done, but for its goodbyes.
      killed += code != 0;
      ended = code == 0;
    }
    ASSERT_EQ(run(1 + static_cast<int>(rng.below(4)), model, flags), 0) << output();
    EXPECT_TRUE(same_files(comparable_files(path(model)), expected)) << killed << " kills";
    ++runs;
  }
  std::cout << killed << " kills, " << rank_zero << " of them of rank 0, in " << runs << " runs\n";
  EXPECT_GT(rank_zero, 0);
  EXPECT_LT(rank_zero, killed);
}

}  // namespace
}  // namespace heed
