// A whole run on several ranks, which are threads here.
#include <gtest/gtest.h>

#include "tiny_runs.h"

namespace heed {
namespace {

using heed::testing::Killed;
using heed::testing::killing_at;
using heed::testing::kinds_of_runs;
using heed::testing::log_of;
using heed::testing::steps;
using heed::testing::TinyTraining;

std::vector<nlohmann::json> log_in(const TinyTraining& tiny, const std::string& folder) {
  return log_of(tiny.text(folder + "/training.jsonl"));
}

TEST(TrainerRanks, EndWithTheBytesOfOne) {
  const TinyTraining tiny;
  for (const auto& [name, config] : kinds_of_runs()) {
    const TrainingEnd end = tiny.run(name, config);
    ASSERT_FALSE(tiny.weights(name).empty());
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(fmt::format("{} on {} ranks", name, ranks));
      const std::string folder = fmt::format("{} {}", name, ranks);
      EXPECT_EQ(tiny.run_on(ranks, folder, config), end);
      EXPECT_TRUE(tiny.weights(folder) == tiny.weights(name));
      EXPECT_EQ(log_in(tiny, folder), log_in(tiny, name));
    }
  }
}

TEST(TrainerRanks, AnyNumberGoesOnWhereAnotherWasKilled) {
  const TinyTraining tiny;
  Rng rng(3);
  for (const auto& [name, config] : kinds_of_runs()) {
    int64_t moments = 0;
    const TrainingEnd end = tiny.run(name, config, killing_at(-1, moments));
    for (int again = 0; again < 4; ++again) {
      const int before = 1 + static_cast<int>(rng.below(4)),
                after = 1 + static_cast<int>(rng.below(4));
      const auto moment = 1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(moments)));
      SCOPED_TRACE(fmt::format("{}, killed on {} ranks at moment {} of {}, continued on {}", name,
                               before, moment, moments, after));
      const std::string folder = fmt::format("{} {}", name, again);
      int64_t count = 0, rest = 0;
      EXPECT_THROW(tiny.run_on(before, folder, config, killing_at(moment, count)), Killed);
      EXPECT_EQ(tiny.run_on(after, folder, config, killing_at(-1, rest)), end);
      EXPECT_TRUE(tiny.weights(folder) == tiny.weights(name));
      EXPECT_EQ(log_in(tiny, folder), log_in(tiny, name));
    }
  }
}

TEST(TrainerRanks, StopTogetherWhenTheFirstIsInterrupted) {
  const TinyTraining tiny;
  tiny.run("whole", steps(10));
  int asked = 0;
  const TrainerEvents events{.interrupted = [&] { return ++asked == 5; }};
  EXPECT_EQ(tiny.run_on(3, "parts", steps(10), events), TrainingEnd::interrupted);
  EXPECT_EQ(tiny.run_on(2, "parts", steps(10)), TrainingEnd::budget);
  EXPECT_TRUE(tiny.weights("parts") == tiny.weights("whole"));
}

TEST(TrainerRanks, FollowTheClockOfTheFirst) {
  const TinyTraining tiny;
  TrainerConfig config = steps(1000);
  config.seconds = 1e-9;
  EXPECT_EQ(tiny.run_on(3, "short", config), TrainingEnd::budget);
}

// The scores of translations, which only the first finds, decide for all.
TEST(TrainerRanks, ChooseTheSameBest) {
  const TinyTraining tiny;
  TrainerConfig config = steps(1000);
  config.validate_every = 1;
  config.criterion = Criterion::bleu;
  config.patience = 2;
  size_t next = 0;
  const std::vector<double> scores = {1, 3, 2, 4, 4, 3, 9};
  const TrainerEvents events{
      .judge = [&] { return OutputScores{.bleu = scores.at(next++), .chrf = 0, .samples = {}}; }};
  EXPECT_EQ(tiny.run_on(3, "ranks", config, events), TrainingEnd::patience);
  next = 0;
  EXPECT_EQ(tiny.run("alone", config, events), TrainingEnd::patience);
  EXPECT_TRUE(tiny.weights("ranks") == tiny.weights("alone"));
}

}  // namespace
}  // namespace heed
