#include "heed/app/cli/training_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/app/cli/clock_text.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr double live_interval = 0.2, plain_interval = 15;  // seconds
constexpr int narrowest = 20, longest_sample = 160;         // columns
constexpr std::string_view between_parts = " · ", indent = "    ";

std::string number_text(double number, int decimals) {
  return std::isfinite(number) ? fmt::format("{:.{}f}", number, decimals) : "not finite";
}

// As many of the first parts as fit on one line; at least the first, shortened if necessary.
std::string first_parts(const std::vector<std::string>& parts, int columns) {
  std::string line = shorten(parts.front(), columns);
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string longer = fmt::format("{}{}{}", line, between_parts, parts[i]);
    if (display_width(longer) > columns) break;
    line = longer;
  }
  return line;
}

// All parts, on lines that break only between parts.
std::string folded(const std::vector<std::string>& parts, std::string_view separator, int columns) {
  std::string all, line;
  for (const std::string& part : parts) {
    const std::string longer = line.empty() ? part : fmt::format("{}{}{}", line, separator, part);
    if (line.empty() || display_width(longer) <= columns) {
      line = longer;
    } else {
      all += line + '\n';
      line = fmt::format("{}{}", indent, part);
    }
  }
  return all + line;
}

std::vector<std::string> words_of(std::string_view sentence) {
  std::vector<std::string> words;
  while (true) {
    const size_t end = sentence.find(' ');
    words.emplace_back(sentence.substr(0, end));
    if (end == std::string_view::npos) return words;
    sentence.remove_prefix(end + 1);
  }
}

// That of the last step, counted from 1. After the last one of an epoch, the next has begun, but
// nobody has seen it.
int64_t epoch_of(const Progress& progress) {
  const auto& [epoch, window, step] = progress.position;
  return epoch + (window > 0 || step > 0 ? 1 : 0);
}

}  // namespace

double seconds_left(const TrainerConfig& config, const Progress& progress, int64_t steps) {
  const auto work = [&](double so_many) {
    const double twice = so_many - static_cast<double>(config.learner.r_drop_after);
    return so_many + (config.learner.r_drop > 0 ? std::max(0.0, twice) : 0.0);
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

TrainingDisplay::~TrainingDisplay() {
  erase_live();
  console_.err << std::flush;
}

void TrainingDisplay::announce(const std::string& sentence) { print_words(sentence); }

void TrainingDisplay::erase_live() {
  if (live_) console_.err << "\r\033[K";
  live_ = false;
}

void TrainingDisplay::print(const std::string& line) {
  erase_live();
  console_.err << line << '\n' << std::flush;
}

void TrainingDisplay::print_parts(const std::vector<std::string>& parts,
                                  std::string_view separator) {
  print(console_.err_is_terminal
            ? folded(parts, separator, std::max(narrowest, console_.err_columns_now()))
            : fmt::format("{}", fmt::join(parts, separator)));
}

void TrainingDisplay::print_words(const std::string& sentence) {
  print_parts(words_of(sentence), " ");
}

// One line for each text, however long, so that they line up.
void TrainingDisplay::print_sample(const SampleOutput& sample) {
  const auto print_line = [&](std::string_view sign, const std::string& text) {
    const std::string begin = fmt::format("{}{}", indent, sign);
    const int columns = std::max(narrowest, console_.err_columns_now()) - display_width(begin);
    print(begin + shorten(printable(on_one_line(text)),
                          console_.err_is_terminal ? columns : longest_sample));
  };
  print_line("", sample.source);
  print_line("→ ", sample.output);
  print_line("= ", sample.reference);
}

void TrainingDisplay::show_live(const std::vector<std::string>& parts) {
  // Some terminals wrap after the last column.
  const int columns = std::max(narrowest, console_.err_columns_now() - 1);
  console_.err << "\r\033[K" << first_parts(parts, columns) << std::flush;
  live_ = true;
}

double TrainingDisplay::share_of_peak(int64_t source_tokens, int64_t target_tokens,
                                      double seconds) const {
  const double operations = cost_.per_source_token * static_cast<double>(source_tokens) +
                            cost_.per_target_token * static_cast<double>(target_tokens);
  return cost_.peak > 0 && seconds > 0 ? operations / seconds / cost_.peak : 0;
}

// What a narrow window can do without comes last.
std::vector<std::string> TrainingDisplay::status(const StepReport& report,
                                                 const Progress& progress) const {
  const double seconds = progress.seconds - start_.seconds;
  const int64_t source = progress.source_tokens - start_.source_tokens,
                target = progress.target_tokens - start_.target_tokens;
  const bool has_speed = seconds > 0;  // the first step says nothing about speed
  std::vector<std::string> parts = {fmt::format("step {}", report.step),
                                    fmt::format("loss {}", number_text(report.loss, 3))};
  const double left = seconds_left(config_, progress, report.step);
  if (has_speed && std::isfinite(left)) parts.push_back(fmt::format("{} left", clock_text(left)));
  parts.push_back(fmt::format("epoch {}", epoch_of(progress)));
  if (has_speed)
    parts.push_back(fmt::format("{:.0f} tokens/s", static_cast<double>(target) / seconds));
  parts.push_back(fmt::format("lr {:.2e}", report.learning_rate));
  if (has_speed && cost_.peak > 0)
    parts.push_back(fmt::format("{:.0f} % of peak", 100 * share_of_peak(source, target, seconds)));
  return parts;
}

void TrainingDisplay::step(const StepReport& report, const Progress& progress) {
  if (!started_) {
    start_ = progress;
    started_ = true;
  }
  if (report.skipped)
    print_words(
        fmt::format("step {} was skipped: the loss or its gradient is not finite", report.step));
  const auto now = std::chrono::steady_clock::now();
  const double interval = console_.err_is_terminal ? live_interval : plain_interval;
  if (std::chrono::duration<double>(now - shown_).count() < interval) return;
  shown_ = now;
  if (console_.err_is_terminal) {
    show_live(status(report, progress));
  } else {
    print_parts(status(report, progress), between_parts);
  }
}

void TrainingDisplay::validated(const Validation& validation, const Progress& progress) {
  std::vector<std::string> parts = {clock_text(progress.seconds),
                                    fmt::format("epoch {}", epoch_of(progress)),
                                    fmt::format("step {}", validation.step)};
  if (progress.loss_tokens > 0)
    parts.push_back(
        fmt::format("training loss {}",
                    number_text(progress.loss_sum / static_cast<double>(progress.loss_tokens), 3)));
  parts.push_back(fmt::format("validation cross-entropy {}",
                              number_text(validation.finite ? validation.cross_entropy : NAN, 4)));
  if (validation.finite)
    parts.push_back(fmt::format("perplexity {}", number_text(validation.perplexity(), 2)));
  if (validation.outputs) {
    const OutputScores& scores = *validation.outputs;
    for (const auto& [name, score] : {std::pair{"BLEU", scores.bleu},
                                      {"chrF", scores.chrf},
                                      {"accuracy", scores.accuracy},
                                      {"F1", scores.f1}})
      if (score) parts.push_back(fmt::format("{} {:.2f}", name, *score));
  }
  if (validation.general && validation.finite) {
    parts.push_back(
        fmt::format("general cross-entropy {}", number_text(validation.general->cross_entropy, 4)));
    const auto& outputs = validation.general->outputs;
    if (outputs && outputs->bleu) parts.push_back(fmt::format("BLEU {:.2f}", *outputs->bleu));
  }
  if (validation.best) parts.emplace_back("best");
  print_parts(parts, between_parts);
  if (!validation.outputs) return;
  for (const SampleOutput& sample : validation.outputs->samples) print_sample(sample);
}

void TrainingDisplay::ended(TrainingEnd end, const Progress& progress, size_t memory) {
  switch (end) {
    case TrainingEnd::already_finished:
      return print_words(
          "this run is finished; a larger budget (--steps, --epochs, --time) would continue it");
    case TrainingEnd::interrupted:
      return print("interrupted; the same command continues from here");
    case TrainingEnd::patience:
      print(fmt::format("no new best in {} validations: done", progress.stale));
      break;
    case TrainingEnd::budget:
      break;
  }
  const double seconds = progress.seconds - start_.seconds;
  const int64_t source = progress.source_tokens - start_.source_tokens,
                target = progress.target_tokens - start_.target_tokens;
  print_words(fmt::format(
      "trained for {} on {} target tokens: {:.0f} per second, {:.1f} % of the machine's peak, {} "
      "MB of memory",
      clock_text(progress.seconds), progress.target_tokens,
      seconds > 0 ? static_cast<double>(target) / seconds : 0,
      100 * share_of_peak(source, target, seconds), memory >> 20));
  if (progress.best)
    print(fmt::format("best {}: {:.4f} at step {}", name_of(config_.criterion), *progress.best,
                      progress.best_step));
}

}  // namespace heed
