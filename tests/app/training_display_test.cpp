#include "heed/app/cli/training_display.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <sstream>
#include <thread>

namespace heed {
namespace {

// What a display prints on a terminal of this many columns, or elsewhere (0 columns).
class TrainingDisplayTest : public ::testing::Test {
 protected:
  Console console(int columns) {
    Console made{out, err, TerminalStyle{.width = 80, .ink = Ink::digits}};
    made.err_is_terminal = columns > 0;
    made.err_columns = columns;
    return made;
  }

  std::ostringstream out, err;
};

constexpr TrainingCost cost{.per_source_token = 1e6, .per_target_token = 2e6, .peak = 1e9};

StepReport report_of(int64_t step) { return {.step = step, .loss = 3.25, .learning_rate = 1e-3}; }

Progress progress_of(double seconds, int64_t tokens) {
  return {.position = {.epoch = 1, .step = 1},
          .source_tokens = tokens,
          .target_tokens = tokens,
          .seconds = seconds};
}

TEST_F(TrainingDisplayTest, KeepsOneLiveLineOnATerminal) {
  const Console narrow = console(40);
  TrainerConfig config;
  config.steps = 100;
  TrainingDisplay display(narrow, config, cost);
  display.step(report_of(1), progress_of(1, 100));
  const std::string line = err.str();
  EXPECT_EQ(line, "\r\033[Kstep 1 · loss 3.250 · epoch 2");
  // The next one comes too soon to be shown.
  display.step(report_of(2), progress_of(1.01, 200));
  EXPECT_EQ(err.str(), line);
  // Lasting lines replace the live line.
  display.validated({.step = 2, .cross_entropy = 2, .outputs = {}, .best = true},
                    progress_of(2, 200));
  EXPECT_EQ(err.str().substr(line.size()),
            "\r\033[K0:02 · epoch 2 · step 2\n    validation cross-entropy 2.0000\n"
            "    perplexity 7.39 · best\n");
}

TEST_F(TrainingDisplayTest, PrintsPlainLinesElsewhere) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  display.step(report_of(1), progress_of(1, 100));
  display.step(report_of(2), progress_of(2, 200));
  EXPECT_EQ(err.str(), "step 1 · loss 3.250 · epoch 2 · lr 1.00e-03\n");
  EXPECT_EQ(err.str().find('\r'), std::string::npos);
  EXPECT_EQ(out.str(), "");
}

// A live line is drawn only so often.
void wait_for_the_next_line() { std::this_thread::sleep_for(std::chrono::milliseconds(250)); }

TEST_F(TrainingDisplayTest, DropsWholePartsWhereTheWindowIsNarrow) {
  Console terminal = console(200);
  int columns = 200;
  terminal.ask_err_columns = [&] { return columns; };
  TrainerConfig config;
  config.steps = 100'000;
  TrainingDisplay display(terminal, config, cost);
  display.step(report_of(12344), progress_of(1000, 1'000'000));
  const auto next_line = [&](int width) {
    columns = width;
    err.str("");
    wait_for_the_next_line();
    display.step(report_of(12345), progress_of(1100, 1'450'000));
    return err.str();
  };
  EXPECT_EQ(next_line(200),
            "\r\033[Kstep 12345 · loss 3.250 · 2:10:10 left · epoch 2 · 4500 tokens/s · lr "
            "1.00e-03 · 1350 % of peak");
  // The window is resized meanwhile.
  EXPECT_EQ(
      next_line(79),
      "\r\033[Kstep 12345 · loss 3.250 · 2:10:10 left · epoch 2 · 4500 tokens/s · lr 1.00e-03");
  EXPECT_EQ(next_line(78),
            "\r\033[Kstep 12345 · loss 3.250 · 2:10:10 left · epoch 2 · 4500 tokens/s");
  EXPECT_EQ(next_line(60), "\r\033[Kstep 12345 · loss 3.250 · 2:10:10 left · epoch 2");
  EXPECT_EQ(next_line(45), "\r\033[Kstep 12345 · loss 3.250 · 2:10:10 left");
  EXPECT_EQ(next_line(5), "\r\033[Kstep 12345");
}

TEST_F(TrainingDisplayTest, StepsAndValidationsCountEpochsAlike) {
  const Console plain = console(0);
  for (const auto& [position, epoch] :
       {std::pair{CorpusPosition{.step = 3}, "epoch 1"},
        {CorpusPosition{.epoch = 1}, "epoch 1"},  // after its last step
        {CorpusPosition{.epoch = 1, .window = 1}, "epoch 2"}}) {
    err.str("");
    TrainingDisplay display(plain, {}, cost);
    Progress progress = progress_of(1, 100);
    progress.position = position;
    display.step(report_of(1), progress);
    display.validated({.step = 1, .cross_entropy = 2, .outputs = {}}, progress);
    const std::string said = err.str();
    const size_t first = said.find(epoch);
    ASSERT_NE(first, std::string::npos) << said;
    EXPECT_NE(said.find(epoch, first + 1), std::string::npos) << said;
  }
}

TEST_F(TrainingDisplayTest, BreaksLinesOfATerminalBetweenParts) {
  const Console terminal = console(80);
  TrainingDisplay display(terminal, {}, cost);
  const OutputScores scores{.bleu = 12.5, .chrf = 30.25, .samples = {}};
  Progress progress = progress_of(754, 1000);
  progress.loss_sum = 3;
  progress.loss_tokens = 1;
  display.validated(
      {.step = 12345, .epoch = 3, .cross_entropy = 2, .outputs = scores, .best = true}, progress);
  EXPECT_EQ(err.str(),
            "12:34 · epoch 2 · step 12345 · training loss 3.000\n"
            "    validation cross-entropy 2.0000 · perplexity 7.39 · BLEU 12.50 · chrF 30.25\n    "
            "best\n");
  err.str("");
  display.announce(
      "one two three four five six seven eight nine ten eleven twelve thirteen, fourteen");
  EXPECT_EQ(
      err.str(),
      "one two three four five six seven eight nine ten eleven twelve thirteen,\n    fourteen\n");
}

TEST_F(TrainingDisplayTest, GivesASampleOneLineForEachText) {
  const Console terminal = console(30);
  TrainingDisplay display(terminal, {}, cost);
  const OutputScores scores{.samples = {{"A sentence that is much too long",
                                         "短い文ではない長い長い長い文です", "Short"}}};
  display.validated({.step = 3, .cross_entropy = 1, .outputs = scores}, {});
  EXPECT_TRUE(
      err.str().ends_with("    A sentence that is much t…\n"
                          "    → Short\n"
                          "    = 短い文ではない長い長い…\n"))
      << err.str();
}

TEST_F(TrainingDisplayTest, NeverShowsWhatIsNoNumber) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  StepReport report = report_of(7);
  report.loss = -NAN;
  display.step(report, progress_of(1, 100));
  EXPECT_EQ(err.str(), "step 7 · loss not finite · epoch 2 · lr 1.00e-03\n");
  err.str("");
  display.validated({.step = 7, .cross_entropy = -NAN, .finite = false, .outputs = {}}, {});
  EXPECT_EQ(err.str(), "0:00 · epoch 0 · step 7 · validation cross-entropy not finite\n");
  err.str("");
  display.validated({.step = 7, .cross_entropy = 800, .outputs = {}}, {});
  EXPECT_EQ(
      err.str(),
      "0:00 · epoch 0 · step 7 · validation cross-entropy 800.0000 · perplexity not finite\n");
}

// The next line does not follow the live line.
TEST_F(TrainingDisplayTest, TakesItsLiveLineAwayWhenTheRunFails) {
  const Console terminal = console(80);
  {
    TrainingDisplay display(terminal, {}, cost);
    display.step(report_of(1), progress_of(1, 100));
  }
  EXPECT_TRUE(err.str().ends_with("\r\033[K")) << err.str();
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
  config.learner.r_drop = 1;
  config.learner.r_drop_after = 20;
  EXPECT_DOUBLE_EQ(seconds_left(config, progress_of(50, 1000), 10), 150);
  EXPECT_DOUBLE_EQ(seconds_left(config, progress_of(150, 1000), 25), 50);
}

TEST_F(TrainingDisplayTest, TellsOfSkippedSteps) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  StepReport report = report_of(7);
  report.skipped = true;
  display.step(report, progress_of(1, 100));
  EXPECT_TRUE(
      err.str().starts_with("step 7 was skipped: the loss or its gradient is not finite\n"));
}

TEST_F(TrainingDisplayTest, ShowsSamplesThatAreSafeToPrint) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  const OutputScores scores{.bleu = 12.5, .chrf = 30.25, .samples = {{"a\033[2J", "b", "c\xff"}}};
  display.validated({.step = 3, .cross_entropy = 1, .outputs = scores}, {});
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
  // Speed is measured between the first step and the last: 100 tokens of each side per second.
  EXPECT_NE(
      err.str().find(
          "trained for 1:01:40 on 370000 target tokens: 100 per second, 30.0 % of the machine's "
          "peak, 300 MB of memory\nbest cross-entropy: 1.5000 at step 90\n"),
      std::string::npos)
      << err.str();
}

TEST_F(TrainingDisplayTest, SaysWhyItEnded) {
  const Console plain = console(0);
  TrainingDisplay display(plain, {}, cost);
  display.ended(TrainingEnd::interrupted, {}, 0);
  EXPECT_EQ(err.str(), "interrupted; the same command continues from here\n");
  err.str("");
  Progress progress;
  progress.stale = 10;
  display.ended(TrainingEnd::patience, progress, 0);
  EXPECT_TRUE(err.str().starts_with("no new best in 10 validations: done\n"));
}

}  // namespace
}  // namespace heed
