// `heed train`, killed, interrupted, and on any number of threads.
#include "train_process.h"

namespace heed {
namespace {

using heed::testing::Flags;
using heed::testing::kill_runs;
using heed::testing::SmallTraining;
using heed::testing::TrainProcess;

TEST(TrainProcess, EndsWithTheSameBytesAfterItWasKilled) { kill_runs(SmallTraining(), 5); }

class TrainProcessOfTask : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(, TrainProcessOfTask, ::testing::Values("language", "masked", "classify"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(TrainProcessOfTask, EndsWithTheSameBytesAfterItWasKilled) {
  kill_runs(SmallTraining(GetParam()), 4);
}

TEST_P(TrainProcessOfTask, EndsWithTheSameBytesOnAnyNumberOfThreads) {
  const SmallTraining training(GetParam());
  for (const char* threads : {"1", "2", "4"})
    ASSERT_EQ(training.run(training.path(threads), {{"--threads", threads}}), 0)
        << training.output();
  const std::string expected = SmallTraining::weights(training.path("1"));
  EXPECT_TRUE(SmallTraining::weights(training.path("2")) == expected);
  EXPECT_TRUE(SmallTraining::weights(training.path("4")) == expected);
}

TEST(TrainProcess, EndsWithTheSameBytesOnAnyNumberOfThreads) {
  const SmallTraining training;
  for (const char* threads : {"1", "2", "4"})
    ASSERT_EQ(training.run(training.path(threads), {{"--threads", threads}}), 0)
        << training.output();
  const std::string expected = SmallTraining::weights(training.path("1"));
  EXPECT_TRUE(SmallTraining::weights(training.path("2")) == expected);
  EXPECT_TRUE(SmallTraining::weights(training.path("4")) == expected);
  // Other seeds give other files, so equal files mean something.
  ASSERT_EQ(training.run(training.path("seed"), {{"--seed", "7"}}), 0);
  EXPECT_FALSE(SmallTraining::weights(training.path("seed")) == expected);
}

TEST(TrainProcess, SavesAndEndsWhenItIsInterrupted) {
  const SmallTraining training;
  // No checkpoint is due before the end, so there is one only if the interrupt causes it.
  const Flags long_run = {
      {"--steps", "1500"}, {"--save-every", "100000"}, {"--validate-every", "100000"}};
  const std::string whole = training.path("whole"), parts = training.path("parts");
  ASSERT_EQ(training.run(whole, long_run), 0) << training.output();
  for (const int signal : {SIGINT, SIGTERM}) {
    std::filesystem::remove_all(parts);
    TrainProcess process(training.arguments(parts, long_run), training.path("output"));
    while (process.runs() && !std::filesystem::exists(parts + "/training.jsonl"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(process.kill(signal), 128 + signal);
    EXPECT_TRUE(training.output().ends_with("interrupted; the same command continues from here\n"))
        << training.output();
    ASSERT_EQ(training.run(parts, long_run), 0) << training.output();
    EXPECT_NE(training.output().find("; continuing at step "), std::string::npos)
        << training.output();
    EXPECT_TRUE(SmallTraining::weights(parts) == SmallTraining::weights(whole));
  }
}

TEST(TrainProcess, KeepsASecondOneOut) {
  const SmallTraining training;
  const std::string model = training.path("model");
  std::vector<std::string> arguments = training.arguments(model, {{"--steps", "1000000"}});
  TrainProcess first(arguments, training.path("first"));
  while (!std::filesystem::exists(model + "/training/state.safetensors"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(training.run(model), 1);
  EXPECT_EQ(training.output(), "heed: " + model + ": another program is training in this folder\n");
  first.kill();
  EXPECT_EQ(training.run(model), 0) << training.output();
}

}  // namespace
}  // namespace heed
