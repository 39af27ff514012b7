#include "heed/app/cli/evaluate_command.h"

#include <algorithm>
#include <string_view>

#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/runs/evaluation.h"
#include "heed/runs/link_evaluation.h"

namespace heed {

namespace {

constexpr const char* evaluate_example =
    R"(Files hold one sentence per line and may be compressed with gzip or zstd. Scores equal those
of sacreBLEU 2.6, whose signature is printed with them. TER always ignores case, and lower is
better.
--sentence prints one line per sentence: its scores in the order of --metrics, separated by tabs.

  $ heed translate --model en-de < test.en > out.de
  $ heed evaluate --hypothesis out.de --reference test.de

With several --hypothesis flags, each system is compared with the first by paired bootstrap: both
are scored on random test sets, drawn with replacement from the sentences. p is the probability of
a difference this large by chance alone.

  $ heed evaluate --hypothesis before.de --hypothesis after.de --reference test.de

Links between words, as heed align writes them, are compared with those that people drew: 0-0 is a
sure link, 1p2 a possible one. The alignment error rate (AER) is 0 if all sure links were found, and
no impossible one.

  $ heed evaluate --links test.links --gold test.gold
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

// The lines of a file. Lines that are not UTF-8 are reported on standard error.
NamedLines read_lines(const Console& console, const std::string& path, bool forced) {
  TextLines lines = open_lines(console, path, forced);
  NamedLines result{lines.name(), {}};
  for (std::string line; lines.next(line);) result.lines.push_back(std::move(line));
  const LineCounts& counts = lines.counts();
  if (counts.not_utf8 > 0)
    console.err << fmt::format(
        "heed: {}: {} of {} lines are not UTF-8; invalid bytes count as U+FFFD\n", lines.name(),
        counts.not_utf8, counts.lines);
  return result;
}

}  // namespace

EvaluateCommand::EvaluateCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand("evaluate", "Compare translations with references");
  command
      .add_option("--hypothesis", hypotheses_,
                  "Translations, or - for standard input; repeat to compare systems")
      ->option_text("FILE")
      ->check(file_name())
      ->take_all()
      ->allow_extra_args(false);
  command
      .add_option("--reference", references_,
                  "References, or - for standard input; repeat for several")
      ->option_text("FILE")
      ->check(file_name())
      ->take_all()
      ->allow_extra_args(false);
  CLI::Option* const links =
      command.add_option("--links", links_, "Links between words, or - for standard input")
          ->option_text("FILE")
          ->check(file_name())
          ->excludes("--hypothesis")
          ->excludes("--reference");
  CLI::Option* const gold =
      command.add_option("--gold", gold_, "Links that people drew between the same words")
          ->option_text("FILE")
          ->check(file_name())
          ->needs(links);
  links->needs(gold);
  command
      .add_option("--first-word", first_word_, "Number of the first word in --gold (default: 0)")
      ->option_text("0|1")
      ->check(between(int64_t{0}, int64_t{1}))
      ->needs(gold);
  command
      .add_option_function<std::string>(
          "--metrics", [this](const std::string& list) { metrics_ = metrics_named(list); },
          "List of bleu, chrf, chrf++, ter, accuracy (default: bleu,chrf)")
      ->option_text("LIST");
  command
      .add_option_function<std::string>(
          "--tokenise",
          [this](const std::string& name) {
            options_.tokeniser = kind_named("--tokenise", name, every_tokeniser);
          },
          "Tokeniser of BLEU (default: 13a)")
      ->option_text("none|13a|intl|zh|char");
  command.add_flag("--lowercase", options_.lowercase, "Ignore case");
  command.add_flag("--sentence", sentences_, "Print the scores of each sentence");
  command.add_flag("--json", json_, "Print one JSON object with unrounded scores");
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
  command
      .add_option("--bootstrap", bootstrap_.samples, "Number of bootstrap samples (default: 1000)")
      ->option_text("N")
      ->check(between(1, 1'000'000));
  command.add_option("--seed", bootstrap_.seed, "Seed of the bootstrap samples")
      ->option_text("N")
      ->check(at_least<uint64_t>(0));
  command.footer(evaluate_example);
  command.parse_complete_callback([this, &command] {
    bootstrap_flags_ = command.count("--bootstrap") + command.count("--seed");
    check_usage();
  });
}

void EvaluateCommand::check_usage() const {
  if (links_.empty() && hypotheses_.empty()) throw CLI::RequiredError("--hypothesis");
  if (links_.empty() && references_.empty()) throw CLI::RequiredError("--reference");
  if (!links_.empty() && sentences_)
    throw CLI::ValidationError("--sentence needs --hypothesis; links are judged as a whole");
  std::vector<FileFlag> files = {{"--links", links_}, {"--gold", gold_}};
  for (const std::string& file : hypotheses_) files.push_back({"--hypothesis", file});
  for (const std::string& file : references_) files.push_back({"--reference", file});
  check_one_reads_standard_input(files);
  if (bootstrap_flags_ > 0 && hypotheses_.size() < 2)
    throw CLI::ValidationError("--bootstrap and --seed need a second --hypothesis to compare with");
  if (sentences_ && hypotheses_.size() > 1)
    throw CLI::ValidationError(
        "--sentence takes one --hypothesis; several are compared as whole corpora");
}

void EvaluateCommand::run(const Console& console) const {
  if (!links_.empty()) {
    const AlignmentCounts counts = judge_links(read_lines(console, links_, forced_),
                                               read_lines(console, gold_, forced_), first_word_);
    console.out << (json_ ? to_json(counts) : to_text(counts));
    return;
  }
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
