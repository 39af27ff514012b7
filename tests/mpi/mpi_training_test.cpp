// `heed-mpi train`: the same bytes as `heed train` on any number of ranks, whatever happens to
// them.
#include <limits.h>
#include <unistd.h>

#include <array>

#include "mpi_training.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using heed::testing::comparable_files;
using heed::testing::Flags;
using heed::testing::MpiProcess;
using heed::testing::MpiTraining;
using heed::testing::rich;
using heed::testing::same_files;
using heed::testing::with;
using Clock = std::chrono::steady_clock;

std::string this_host() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  ::gethostname(name.data(), name.size());
  return name.data();
}

int count_of(const std::string& part, const std::string& text) {
  int count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(MpiTraining, EndsWithTheFilesOfOneProcess) {
  ASSERT_EQ(training_.run(path("alone/model"), rich), 0) << output();
  const testing::FileBytes expected = comparable_files(path("alone/model"));
  ASSERT_TRUE(expected.contains("model.safetensors"));
  for (const auto& [ranks, threads] : {std::pair(1, "1"), {2, "2"}, {3, "1"}, {4, "1"}}) {
    const std::string model = std::to_string(ranks) + "/model";
    ASSERT_EQ(run(ranks, model, with(rich, {{"--threads", threads}})), 0) << output();
    EXPECT_TRUE(same_files(comparable_files(path(model)), expected)) << ranks << " ranks";
  }
  EXPECT_NE(output().find("; 4 ranks, the first with 1 thread"), std::string::npos) << output();
}

TEST_F(MpiTraining, GoesOnWithAnotherNumberOfRanksAfterOneWasKilled) {
  const Flags flags = with(rich, {{"--save-every", "1"}, {"--steps", "60"}});
  ASSERT_EQ(training_.run(path("alone/model"), flags), 0) << output();
  const std::string model = "killed/model";
  Rng rng(5);
  for (const int ranks : {3, 2, 4}) {
    MpiProcess process(ranks, training_.arguments(path(model), flags), path("output"));
    while (process.runs() && process.ranks().size() < static_cast<size_t>(ranks))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(300 + rng.below(1000)));
    const std::vector<pid_t> processes = process.ranks();
    if (processes.size() < static_cast<size_t>(ranks)) continue;  // it has ended before
    ::kill(processes[rng.below(processes.size())], SIGKILL);
    EXPECT_NE(process.wait(), 0);
    EXPECT_NE(output().find("on node " + this_host()), std::string::npos) << output();
  }
  ASSERT_EQ(run(1, model, flags), 0) << output();
  EXPECT_TRUE(same_files(comparable_files(path(model)), comparable_files(path("alone/model"))));
}

class HangingRank : public MpiTraining, public ::testing::WithParamInterface<size_t> {};

TEST_P(HangingRank, EndsTheRunInTimeWithItsName) {
  during_a_long_run(3, "model", [&](MpiProcess& process) {
    ::kill(process.ranks()[GetParam()], SIGSTOP);
    const Clock::time_point begin = Clock::now();
    EXPECT_NE(process.wait(), 0);
    EXPECT_LT(Clock::now() - begin, std::chrono::seconds(30));
  });
  const std::string sentence =
      "heed: rank " + std::to_string(GetParam()) + " on " + this_host() +
      " has not been heard of for 15 seconds: it hangs, or the network to it is broken; the same "
      "command continues the run\n";
  EXPECT_EQ(count_of(sentence, output()), 1) << output();
}

INSTANTIATE_TEST_SUITE_P(Ranks, HangingRank, ::testing::Values(0, 2),
                         [](const auto& tested) { return "Rank" + std::to_string(tested.param); });

TEST_F(MpiTraining, SavesAndEndsWhenTheFirstRankIsInterrupted) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    during_a_long_run(2, std::to_string(signal), [&](MpiProcess& process) {
      ::kill(process.ranks()[0], signal);
      EXPECT_EQ(process.wait(), 128 + signal);
    });
    EXPECT_EQ(count_of("interrupted; the same command continues from here\n", output()), 1)
        << output();
  }
}

TEST_F(MpiTraining, StartsAgainByItselfAfterARankWasKilled) {
  const Flags flags = with(rich, {{"--save-every", "1"}, {"--steps", "60"}});
  ASSERT_EQ(training_.run(path("alone/model"), flags), 0) << output();
  const std::string model = path("killed/model");
  std::vector<std::string> words = {"--restart", "1", "mpirun"};
  for (const std::string& word :
       MpiProcess::words_of(2, testing::heed_mpi_program, training_.arguments(model, flags)))
    words.push_back(word);
  testing::ProgramProcess process(words, {.err = path("output")}, testing::mpi_environment(),
                                  testing::heed_mpi_program);
  while (process.runs() && !fs::exists(model + "/training/state.safetensors"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const std::vector<pid_t> launchers = testing::children_of(process.id());
  ASSERT_EQ(launchers.size(), 1U) << output();
  const std::vector<pid_t> ranks = testing::children_of(launchers[0]);
  ASSERT_EQ(ranks.size(), 2U) << output();
  ::kill(ranks[1], SIGKILL);
  EXPECT_EQ(process.wait(), 0) << output();
  EXPECT_EQ(count_of("heed: the run ended with exit code 137; it is started again\n", output()), 1)
      << output();
  EXPECT_TRUE(same_files(comparable_files(model), comparable_files(path("alone/model"))));
}

TEST_F(MpiTraining, DoesNotRepeatAMistake) {
  const std::vector<std::string> words = {
      "--restart", "3", "mpirun", "-n", "1", testing::heed_mpi_program, "train", "--nothing"};
  testing::ProgramProcess process(words, {.err = path("output")}, testing::mpi_environment(),
                                  testing::heed_mpi_program);
  EXPECT_EQ(process.wait(), 2) << output();
  EXPECT_EQ(count_of("heed: ", output()), 1) << output();
}

TEST_F(MpiTraining, RestartsWantANumberAndACommand) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--restart"},
                                             {"--restart", "3"},
                                             {"--restart", "mpirun", "heed-mpi"},
                                             {"--restart", "-1", "mpirun"},
                                             {"--restart", "3x", "mpirun"}}) {
    testing::ProgramProcess process(words, {.err = path("output")}, testing::mpi_environment(),
                                    testing::heed_mpi_program);
    EXPECT_EQ(process.wait(), 2) << words.back();
    EXPECT_EQ(
        count_of("heed: --restart: a number of restarts and a command were expected", output()), 1)
        << output();
  }
}

// All CPUs are the same here, so what they have in common is what each of them has.
TEST_F(MpiTraining, TakesAnyCpu) {
  const Flags flags = with(rich, {{"--steps", "3"}});
  ASSERT_EQ(training_.run(path("alone/model"), flags), 0) << output();
  std::vector<std::string> arguments = training_.arguments(path("any/model"), flags);
  arguments.emplace_back("--any-cpu");
  ASSERT_EQ(MpiProcess(2, arguments, path("output")).wait(), 0) << output();
  EXPECT_TRUE(
      same_files(comparable_files(path("any/model")), comparable_files(path("alone/model"))));
}

TEST_F(MpiTraining, RefusesRanksOfAnotherBuild) {
  const std::string other = path("other");
  fs::copy_file(testing::heed_mpi_program, other);
  std::ofstream(other, std::ios::app) << "another build";
  const std::vector<std::string> arguments = training_.arguments(path("model"), rich);
  std::vector<std::string> words = MpiProcess::words_of(1, testing::heed_mpi_program, arguments);
  words.emplace_back(":");
  for (const std::string& word : MpiProcess::words_of(1, other, arguments)) words.push_back(word);
  EXPECT_EQ(MpiProcess(words, path("output")).wait(), 1);
  EXPECT_EQ(count_of("heed: rank 1 on " + this_host() + " is program ", output()), 1) << output();
  EXPECT_EQ(count_of(": their results would differ\n", output()), 1) << output();
  EXPECT_FALSE(fs::exists(path("model")));
}

TEST_F(MpiTraining, ReportsAMistakeOnce) {
  EXPECT_EQ(run(3, "model", {{"--width", "none"}}), 2);
  EXPECT_EQ(count_of("heed: ", output()), 1) << output();
  fs::remove(path("train.iso"));
  EXPECT_EQ(run(3, "model"), 1);
  EXPECT_EQ(count_of("heed: ", output()), 1) << output();
  EXPECT_EQ(count_of("train.iso: cannot be read", output()), 1) << output();
}

TEST(Mpi, DeliversEveryMessage) {
  const testing::TemporaryFolder folder;
  const std::string program =
      fs::path(testing::heed_mpi_program).replace_filename("communicator_ranks").string();
  for (const int ranks : {1, 2, 5}) {
    EXPECT_EQ(MpiProcess(MpiProcess::words_of(ranks, program, {}), folder.path("output")).wait(), 0)
        << folder.text("output");
    EXPECT_EQ(folder.text("output"), std::to_string(ranks) + " ranks: well\n");
  }
}

TEST(Mpi, IsNoPartOfThePlainProgram) {
  const auto bytes_of = [](const char* program) {
    std::ifstream file(program, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(bytes_of(testing::heed_program).find("libmpi"), std::string::npos);
  EXPECT_NE(bytes_of(testing::heed_mpi_program).find("libmpi"), std::string::npos);
}

}  // namespace
}  // namespace heed
