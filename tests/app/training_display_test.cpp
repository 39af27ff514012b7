#include "heed/app/cli/training_display.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

namespace heed {
namespace {

// What a display says on a terminal of so many columns, or elsewhere (0 columns).
class TrainingDisplayTest : public ::testing::Test {
 protected:
  Console console(int columns) {
    Console made{out, err, TerminalStyle{.width = 80, .ink = Ink::digits}, in};
    made.err_is_terminal = columns > 0;
    made.err_columns = columns;
    return made;
  }

  std::ostringstream out, err;
  std::istringstream in;
};

constexpr TrainingCost cost{.per_source_token = 1e6, .per_target_token = 2e6, .peak = 1e9};

StepReport report_of(int64_t step) { return {.step = step, .loss = 3.25, .rate = 1e-3}; }

Progress progress_of(double seconds, int64_t tokens) {
  return {.position = {.epoch = 1}, .source_tokens = tokens, .target_tokens = tokens, .seconds = seconds};
}

TEST_F(TrainingDisplayTest, KeepsOneLiveLineOnATerminal) {
  const Console narrow = console(40);
  TrainerConfig config;
  config.steps = 100;
  TrainingDisplay display(narrow, config, cost);
  display.step(report_of(1), progress_of(1, 100));
  const std::string line = err.str();
  EXPECT_TRUE(line.starts_with("\r\033[Kepoch 2 · step 1 · loss 3.250")) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(line.ends_with("…")) << line;
  // The next one comes too soon to be read.
  display.step(report_of(2), progress_of(1.01, 200));
  EXPECT_EQ(err.str(), line);
  // What stays begins where the live line was.
  display.validated({.step = 2, .cross_entropy = 2, .translations = {}, .best = true}, progress_of(2, 200));
  EXPECT_EQ(err.str().substr(line.size()),
            "\r\033[K0:02 · epoch 0 · step 2 · training loss 0.000 · validation cross-entropy 2.0000 · "
            "perplexity 7.39 · best\n");
}

TEST_F(TrainingDisplayTest, PrintsPlainLinesElsewhere) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  display.step(report_of(1), progress_of(1, 100));
  display.step(report_of(2), progress_of(2, 200));
  EXPECT_EQ(err.str(), "epoch 2 · step 1 · loss 3.250 · rate 1.00e-03\n");
  EXPECT_EQ(err.str().find('\r'), std::string::npos);
  EXPECT_EQ(out.str(), "");
}

TEST_F(TrainingDisplayTest, MeasuresAgainstTheHighestPeakSeen) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  display.step(report_of(1), progress_of(10, 1000));
  display.saw_peak(4e9);
  display.saw_peak(2e9);
  display.step(report_of(2), progress_of(20, 9000));
  display.ended(TrainingEnd::budget, progress_of(20, 9000), 0);
  EXPECT_NE(err.str().find("60.0 % of the machine's peak"), std::string::npos) << err.str();
}

TEST(SecondsLeft, AreThoseOfTheLimitThatComesFirst) {
  TrainerConfig config;
  Progress progress = progress_of(50, 1000);
  progress.epochs = 2;
  EXPECT_EQ(seconds_left(config, progress, 10), INFINITY);
  config.steps = 30;
  EXPECT_DOUBLE_EQ(seconds_left(config, progress, 10), 100);
  config.epochs = 3;
  EXPECT_DOUBLE_EQ(seconds_left(config, progress, 10), 25);
  config.seconds = 60;
  EXPECT_DOUBLE_EQ(seconds_left(config, progress, 10), 10);
}

TEST(SecondsLeft, CountStepsOfSentencesThatAreSeenTwiceTwice) {
  TrainerConfig config;
  config.steps = 30;
  config.learner.agreement = 1;
  config.learner.agree_after = 20;
  EXPECT_DOUBLE_EQ(seconds_left(config, progress_of(50, 1000), 10), 150);
  EXPECT_DOUBLE_EQ(seconds_left(config, progress_of(150, 1000), 25), 50);
}

TEST_F(TrainingDisplayTest, TellsOfSkippedSteps) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  StepReport report = report_of(7);
  report.skipped = true;
  display.step(report, progress_of(1, 100));
  EXPECT_TRUE(err.str().starts_with("step 7 was skipped: the loss or its gradient is not a finite number\n"));
}

TEST_F(TrainingDisplayTest, ShowsSamplesThatAreSafeToPrint) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  const TranslationScores scores{.bleu = 12.5, .chrf = 30.25, .samples = {{"a\033[2J", "b", "c\xff"}}};
  display.validated({.step = 3, .cross_entropy = 1, .translations = scores}, {});
  EXPECT_NE(err.str().find(" · BLEU 12.50 · chrF 30.25\n"), std::string::npos) << err.str();
  EXPECT_EQ(err.str().find('\033'), std::string::npos);
  EXPECT_NE(err.str().find("→ c\xef\xbf\xbd\n"), std::string::npos) << err.str();
}

TEST_F(TrainingDisplayTest, SumsUpAtTheEnd) {
  const Console plain = console(0);
  TrainerConfig config;
  config.steps = 100;
  TrainingDisplay display(plain, config, cost);
  display.step(report_of(1), progress_of(10, 1000));
  Progress last = progress_of(3700, 1000 + 3690 * 100);
  last.best = 1.5;
  last.best_step = 90;
  display.ended(TrainingEnd::budget, last, size_t{300} << 20);
  // Speed is that of the stretch between the first step and the last: 100 tokens of each side per second.
  EXPECT_NE(
      err.str().find("trained for 1:01:40 on 370000 target tokens: 100 per second, 30.0 % of the machine's "
                     "peak, 300 MB of memory\nbest cross-entropy: 1.5000 at step 90\n"),
      std::string::npos)
      << err.str();
}

TEST_F(TrainingDisplayTest, SaysWhyItEnded) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  display.ended(TrainingEnd::interrupted, {}, 0);
  EXPECT_EQ(err.str(), "interrupted; the same command goes on from here\n");
  err.str("");
  Progress progress;
  progress.stale = 10;
  display.ended(TrainingEnd::patience, progress, 0);
  EXPECT_TRUE(err.str().starts_with("no better validation in 10: done\n"));
}

}  // namespace
}  // namespace heed
