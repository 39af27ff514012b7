#include "heed/runs/translation_task.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "adaptation_run.h"
#include "error_of.h"
#include "same_bytes.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::SmallRun;
using testing::weights_in;

class WeightedRun : public ::testing::Test {
 protected:
  // A line for each of the 200 pairs.
  void set_weights(const std::function<std::string(int pair)>& weight) {
    std::string lines;
    for (int pair = 0; pair < 200; ++pair) lines += weight(pair) + "\n";
    settings.weights = run.files().put("weights", lines);
  }
  std::vector<std::vector<double>> trained(const std::string& name) {
    settings.folder = run.path(name);
    train(settings);
    return weights_in(settings.folder);
  }

  SmallRun run;
  TrainingSettings& settings = run.settings;
};

TEST_F(WeightedRun, OfOnesIsAnyOther) {
  const auto plain = trained("plain");
  set_weights([](int) { return "1"; });
  EXPECT_EQ(trained("ones"), plain);
  set_weights([](int pair) { return pair < 100 ? "1" : "0.5"; });
  EXPECT_NE(trained("others"), plain);
}

// One target is wrong throughout; of weight 0, it changes nothing that is learned.
TEST_F(WeightedRun, LearnsNothingFromPairsWithoutWeight) {
  settings.vocabulary.kind = VocabularyKind::characters;
  trained("vocabulary");
  settings.vocabulary_files = {run.path("vocabulary/source.spm")};
  set_weights([](int pair) { return pair % 2 == 0 ? "1" : "0"; });
  const auto one = trained("one");
  std::string iso = run.files().text("train.iso"), changed;
  int line = 0;
  for (std::string_view rest = iso; !rest.empty(); ++line) {
    const size_t end = rest.find('\n') + 1;
    std::string text(rest.substr(0, end));
    // Of the same length, so that steps and shards hold the same pairs.
    if (line % 2 == 1) std::ranges::replace(text, '1', '2');
    changed += text;
    rest.remove_prefix(end);
  }
  ASSERT_NE(changed, iso);
  run.files().put("train.iso", changed);
  EXPECT_EQ(trained("other"), one);
}

TEST_F(WeightedRun, GivesTheSameBytesHoweverItIsTrained) {
  set_weights([](int pair) { return fmt::format("{}", 0.25 * (pair % 5)); });
  settings.learning["r-drop"] = "1";
  testing::expect_same_bytes_however_trained(settings, run.path("ways"));
}

TEST_F(WeightedRun, RefusesWhatCannotBe) {
  set_weights([](int pair) { return pair == 3 ? "-1" : "1"; });
  const std::string file = settings.weights;
  EXPECT_EQ(error_of([&] { train(settings); }),
            file + ": line 4: \"-1\" but a weight of at least 0 was expected");
  run.files().put("weights", "1\n");
  EXPECT_EQ(error_of([&] { train(settings); }),
            file + ": there are 1 lines of weights, but 200 sentence pairs");
  settings.task = Task::language;
  EXPECT_EQ(error_of([&] { train(settings); }), "--weights: only pairs of sentences have weights");
  settings.task = Task::translate;
  set_weights([](int) { return "1"; });
  train(settings);
  settings.trainer.steps += 1;
  run.files().put("weights", run.files().text("weights").replace(0, 1, "2"));
  EXPECT_EQ(
      error_of([&] { train(settings); }),
      file + ": has changed since the run was started; --override continues with the new text");
  fs::remove(file);
  EXPECT_EQ(train(settings), TrainingEnd::budget);
}

}  // namespace
}  // namespace heed
