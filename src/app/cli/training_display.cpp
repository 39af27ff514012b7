#include "heed/app/cli/training_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/app/cli/clock_text.h"
#include "heed/app/cli/train_options.h"
#include "heed/base/text.h"

namespace heed {

namespace {

double mean(double sum, int64_t count) { return count == 0 ? 0.0 : sum / static_cast<double>(count); }

constexpr double live_interval = 0.2, plain_interval = 15;  // seconds
constexpr int longest_sample = 160;                         // columns

}  // namespace

double seconds_left(const TrainerConfig& config, const Progress& progress, int64_t steps) {
  const auto work = [&](double so_many) {
    const double twice = so_many - static_cast<double>(config.learner.agree_after);
    return so_many + (config.learner.agreement > 0 ? std::max(0.0, twice) : 0.0);
  };
  const double done = work(static_cast<double>(steps));
  double left = INFINITY;
  const auto limit = [&](double all) {
    if (all > 0 && done > 0) left = std::min(left, progress.seconds * (work(all) - done) / done);
  };
  limit(static_cast<double>(config.steps));
  if (progress.epochs > 0)
    limit(static_cast<double>(steps) * static_cast<double>(config.epochs) /
          static_cast<double>(progress.epochs));
  if (config.seconds > 0) left = std::min(left, config.seconds - progress.seconds);
  return left;
}

TrainingDisplay::TrainingDisplay(const Console& console, const TrainerConfig& config,
                                 const TrainingCost& cost)
    : console_(console), config_(config), cost_(cost) {}

void TrainingDisplay::saw_peak(double peak) { cost_.peak = std::max(cost_.peak, peak); }

void TrainingDisplay::announce(const std::string& sentence) { print(sentence); }

void TrainingDisplay::print(const std::string& line) {
  if (live_) console_.err << "\r\033[K";
  live_ = false;
  console_.err << line << '\n' << std::flush;
}

void TrainingDisplay::show_live(const std::string& line) {
  console_.err << "\r\033[K" << shorten(line, std::max(20, console_.err_columns - 1)) << std::flush;
  live_ = true;
}

double TrainingDisplay::share_of_peak(int64_t source_tokens, int64_t target_tokens, double seconds) const {
  const double operations = cost_.per_source_token * static_cast<double>(source_tokens) +
                            cost_.per_target_token * static_cast<double>(target_tokens);
  return cost_.peak > 0 && seconds > 0 ? operations / seconds / cost_.peak : 0;
}

std::string TrainingDisplay::status(const StepReport& report, const Progress& progress) const {
  const double seconds = progress.seconds - start_.seconds;
  const int64_t source = progress.source_tokens - start_.source_tokens,
                target = progress.target_tokens - start_.target_tokens;
  std::string line = fmt::format("epoch {} · step {} · loss {:.3f} · rate {:.2e}",
                                 progress.position.epoch + 1, report.step, report.loss, report.rate);
  if (seconds <= 0) return line;  // the first step tells nothing of the speed
  line += fmt::format(" · {:.0f} tokens/s", static_cast<double>(target) / seconds);
  if (cost_.peak > 0)
    line += fmt::format(" · {:.0f} % of peak", 100 * share_of_peak(source, target, seconds));
  const double left = seconds_left(config_, progress, report.step);
  return std::isfinite(left) ? fmt::format("{} · {} left", line, clock_text(left)) : line;
}

void TrainingDisplay::step(const StepReport& report, const Progress& progress) {
  if (!started_) {
    start_ = progress;
    started_ = true;
  }
  if (report.skipped)
    print(fmt::format("step {} was skipped: the loss or its gradient is not a finite number", report.step));
  const auto now = std::chrono::steady_clock::now();
  const double interval = console_.err_is_terminal ? live_interval : plain_interval;
  if (std::chrono::duration<double>(now - shown_).count() < interval) return;
  shown_ = now;
  if (console_.err_is_terminal) {
    show_live(status(report, progress));
  } else {
    print(status(report, progress));
  }
}

void TrainingDisplay::validated(const Validation& validation, const Progress& progress) {
  std::string line = fmt::format(
      "{} · epoch {} · step {} · training loss {:.3f} · validation cross-entropy {:.4f} · perplexity {:.2f}",
      clock_text(progress.seconds), validation.epoch, validation.step,
      mean(progress.loss_sum, progress.loss_tokens), validation.cross_entropy, validation.perplexity());
  if (validation.translations)
    line += fmt::format(" · BLEU {:.2f} · chrF {:.2f}", validation.translations->bleu,
                        validation.translations->chrf);
  print(line + (validation.best ? " · best" : ""));
  if (!validation.translations) return;
  const auto line_of = [](const std::string& text) { return shorten(printable(text), longest_sample); };
  for (const SampleTranslation& sample : validation.translations->samples)
    print(fmt::format("    {}\n    → {}\n    = {}", line_of(sample.source), line_of(sample.translation),
                      line_of(sample.reference)));
}

void TrainingDisplay::ended(TrainingEnd end, const Progress& progress, size_t memory) {
  switch (end) {
    case TrainingEnd::already_finished:
      return print("this run is finished; a larger budget (--steps, --epochs, --time) would continue it");
    case TrainingEnd::interrupted:
      return print("interrupted; the same command goes on from here");
    case TrainingEnd::patience:
      print(fmt::format("no better validation in {}: done", progress.stale));
      break;
    case TrainingEnd::budget:
      break;
  }
  const double seconds = progress.seconds - start_.seconds;
  const int64_t source = progress.source_tokens - start_.source_tokens,
                target = progress.target_tokens - start_.target_tokens;
  print(
      fmt::format("trained for {} on {} target tokens: {:.0f} per second, {:.1f} % of the machine's peak, {} "
                  "MB of memory",
                  clock_text(progress.seconds), progress.target_tokens,
                  seconds > 0 ? static_cast<double>(target) / seconds : 0,
                  100 * share_of_peak(source, target, seconds), memory >> 20));
  if (progress.best)
    print(fmt::format("best {}: {:.4f} at step {}", name_of(config_.criterion), *progress.best,
                      progress.best_step));
}

}  // namespace heed
