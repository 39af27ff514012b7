#include "heed/app/cli/evaluate_command.h"

#include <algorithm>
#include <string_view>

#include "heed/app/cli/evaluation.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(The values are those of sacreBLEU 2.6, whose signature is printed with them. TER is always without case and
is better when lower. With --sentence each line has the scores of a sentence, between tabs, in the order of
--metrics. --reference may be given several times. Files may be compressed with gzip or zstd.

  $ heed translate --model en-de < test.en > out.de
  $ heed evaluate --hypothesis out.de --reference test.de

With several --hypothesis, the others are compared with the first by paired bootstrap: both are scored on random test
sets, drawn with replacement from the sentences, and p says how often these alone would make so large a difference.

  $ heed evaluate --hypothesis before.de --hypothesis after.de --reference test.de
)";

// The one of `kinds` that has this name.
template <typename Kinds>
auto kind_named(const std::string& flag, const std::string& name, const Kinds& kinds) {
  const auto found = std::ranges::find_if(kinds, [&](auto kind) { return name_of(kind) == name; });
  if (found != kinds.end()) return *found;
  std::vector<std::string_view> names;
  for (const auto kind : kinds) names.push_back(name_of(kind));
  throw CLI::ValidationError(flag, refusal(name, fmt::format("one of {}", fmt::join(names, ", "))));
}

std::vector<MetricKind> metrics_named(const std::string& list) {
  std::vector<MetricKind> kinds;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    kinds.push_back(kind_named("--metrics", list.substr(begin, end - begin), every_metric));
    begin = end + 1;
  }
  return kinds;
}

// The lines of a file. What is not UTF-8 is said on standard error.
NamedLines read_lines(const Console& console, const std::string& path, bool forced) {
  TextLines lines = open_lines(console, path, forced);
  NamedLines result{lines.name(), {}};
  for (std::string line; lines.next(line);) result.lines.push_back(std::move(line));
  const LineCounts& counts = lines.counts();
  if (counts.not_utf8 > 0)
    console.err << fmt::format(
        "heed: {}: {} of {} lines are not UTF-8; what is not counts as U+FFFD\n", lines.name(),
        counts.not_utf8, counts.lines);
  return result;
}

}  // namespace

EvaluateCommand::EvaluateCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("evaluate", "Compare translations with references");
  command
      .add_option("--hypothesis", hypotheses_,
                  "File of translations, one per line, or -; several times to compare systems with "
                  "the first")
      ->option_text("FILE")
      ->check(file_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--reference", references_,
                  "File of references, one per line, or -; several times if there are more")
      ->option_text("FILE")
      ->check(file_name())
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--metrics", [this](const std::string& list) { metrics_ = metrics_named(list); },
          "Any of bleu, chrf, chrf++, ter and accuracy, with commas between them (bleu,chrf if not "
          "given)")
      ->option_text("LIST");
  command
      .add_option_function<std::string>(
          "--tokenise",
          [this](const std::string& name) {
            options_.tokeniser = kind_named("--tokenise", name, every_tokeniser);
          },
          "How BLEU finds words (13a if not given)")
      ->option_text("none|13a|intl|zh|char");
  command.add_flag("--lowercase", options_.lowercase, "Ignore case");
  command.add_flag("--sentence", sentences_, "Score each sentence");
  command.add_flag("--json", json_, "Print one JSON object, with every digit");
  command.add_flag("--force", forced_, "Read files all the same that do not look like text");
  command
      .add_option("--bootstrap", bootstrap_.samples,
                  "Random test sets to compare systems on (1000 if not given)")
      ->option_text("N")
      ->check(between(1, 1'000'000));
  command.add_option("--seed", bootstrap_.seed, "Of these test sets")
      ->option_text("N")
      ->check(at_least<uint64_t>(0));
  command.footer(worked_example);
  command.parse_complete_callback([this, &command] {
    bootstrap_flags_ = command.count("--bootstrap") + command.count("--seed");
    check_usage();
  });
}

void EvaluateCommand::check_usage() const {
  std::vector<FileFlag> files;
  for (const std::string& file : hypotheses_) files.push_back({"--hypothesis", file});
  for (const std::string& file : references_) files.push_back({"--reference", file});
  check_one_reads_standard_input(files);
  if (bootstrap_flags_ > 0 && hypotheses_.size() < 2)
    throw CLI::ValidationError(
        "--bootstrap and --seed: a second --hypothesis to compare with was expected");
  if (sentences_ && hypotheses_.size() > 1)
    throw CLI::ValidationError(
        "--sentence: one --hypothesis was expected, because several are compared as a whole");
}

void EvaluateCommand::run(const Console& console) const {
  std::vector<NamedLines> systems;
  for (const std::string& path : hypotheses_) systems.push_back(read_lines(console, path, forced_));
  std::vector<NamedLines> references;
  for (const std::string& path : references_)
    references.push_back(read_lines(console, path, forced_));
  if (systems.size() > 1) {
    const std::vector<SystemEvaluation> compared =
        evaluate_systems(systems, references, metrics_, options_, bootstrap_);
    console.out << (json_ ? to_json(compared) : to_text(compared));
    return;
  }
  const std::vector<Evaluation> evaluations =
      evaluate(systems[0], references, metrics_, options_, sentences_);
  console.out << (json_ ? to_json(evaluations) : to_text(evaluations));
}

}  // namespace heed
