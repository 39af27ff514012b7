#include "heed/runs/mixed_text.h"

#include <gtest/gtest.h>

#include "adaptation_run.h"
#include "comparable_files.h"
#include "error_of.h"
#include "heed/training/training_log.h"

namespace heed {
namespace {

using testing::AdaptationRun;
using testing::comparable_files;
using testing::error_of;
using testing::same_files;

TEST(MixedText, IsFilesAndAShare) {
  TrainingSettings settings;
  EXPECT_TRUE(mixed_text(settings).files.empty());
  settings.mix = {"a.en", "a.de", "0.3"};
  EXPECT_EQ(mixed_text(settings).files, (std::vector<std::string>{"a.en", "a.de"}));
  EXPECT_EQ(mixed_text(settings).share, 0.3);
  settings.mix = {"a.en", "a.de"};
  EXPECT_EQ(error_of([&] { mixed_text(settings); }),
            "--mix: \"a.de\" but files and a share between 0 and 1 were expected");
  settings.mix = {"0.3"};
  EXPECT_EQ(error_of([&] { mixed_text(settings); }), "--mix: files were expected before the share");
  for (const char* share : {"0", "1", "-1", "nan", "inf", "0.3x", ""}) {
    settings.mix = {"a.tmx", share};
    EXPECT_NE(error_of([&] { mixed_text(settings); }).find("a share between 0 and 1"),
              std::string::npos)
        << share;
  }
}

class MixedRun : public ::testing::Test {
 protected:
  MixedRun() {
    run.settings.mix = {run.path("valid.written"), run.path("valid.iso"), "0.3"};
    run.settings.general = {run.path("valid.written"), run.path("valid.iso")};
  }

  AdaptationRun run;
};

TEST_F(MixedRun, EndsWithTheSameBytesAndShowsWhatIsForgotten) {
  const auto trained = [&](const std::string& name, int threads, bool interrupted) {
    TrainingSettings settings = run.settings;
    settings.folder = run.path(name + "/mine");
    settings.threads = threads;
    TrainingCallbacks callbacks;
    if (interrupted) callbacks.interrupted = [] { return true; };
    // Each call takes one step.
    while (train(settings, callbacks) == TrainingEnd::interrupted) {
    }
    return comparable_files(settings.folder);
  };
  const testing::FileBytes whole = trained("whole", 1, false);
  EXPECT_TRUE(same_files(trained("threads", 3, false), whole));
  EXPECT_TRUE(same_files(trained("killed", 2, true), whole));
  // Here, the general text is the held-out one.
  const TrainingHistory history = read_history(run.path("whole/mine"));
  ASSERT_FALSE(history.validations.empty());
  for (const LoggedValidation& validation : history.validations) {
    EXPECT_EQ(validation.general_cross_entropy, validation.cross_entropy);
    EXPECT_EQ(validation.general_bleu, validation.bleu);
  }
  EXPECT_NE(whole.at("curves.svg").find("general text"), std::string::npos);
  run.settings.mix.back() = "0.5";
  EXPECT_FALSE(same_files(trained("other", 1, false), whole));
}

TEST_F(MixedRun, NoticesTextThatHasChanged) {
  run.files().put("a.tsv", "lundi\tx\nmardi\ty\n");
  run.settings.mix = {run.path("a.tsv"), "0.3"};
  train(run.settings);
  run.settings.trainer.steps += 2;
  run.files().put("a.tsv", "lundi\tz\nmardi\ty\n");
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            run.path("a.tsv") +
                ": has changed since the run was started; --override continues with the new text");
  run.settings.change_settings = true;
  EXPECT_EQ(train(run.settings), TrainingEnd::budget);
}

TEST_F(MixedRun, IsForTranslatorsOnly) {
  run.settings.task = Task::language;
  run.settings.pretrained.clear();
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "--mix: only translators are trained with other text");
  run.settings.mix.clear();
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "--general: only translators are trained with other text");
}

}  // namespace
}  // namespace heed
