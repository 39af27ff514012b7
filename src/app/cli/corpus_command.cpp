#include "heed/app/cli/corpus_command.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "heed/app/cli/interrupt.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/text.h"
#include "heed/data/corpus_statistics.h"
#include "heed/data/installed_messages.h"

namespace heed {

namespace {

constexpr const char* notes =
    R"(Formats: two text files, line by line; TSV (the first two columns); JSONL ({"source": ..., "target": ...} or
{"translation": {"en": ..., "de": ...}}); TMX; gettext PO and MO. The extension decides unless --format is
given; gzip and zstd are seen from the bytes. Tabs and line breaks inside a sentence become spaces.

Examples:
  $ heed corpus --input train.en.gz train.de.gz
  $ heed corpus --input memory.tmx --from en --to de --output memory.en memory.de
  $ heed corpus --installed de --unique --output software.en software.de
)";

CorpusFormat parse_format(const std::string& name) {
  if (const std::optional<CorpusFormat> format = format_named(name)) return *format;
  throw CLI::ValidationError("--format", fmt::format("there is no format {}", quote(name)));
}

// The two files of a parallel text. Both appear when they are complete.
class ParallelTextWriter {
 public:
  ParallelTextWriter(const std::string& source, const std::string& target)
      : source_(source), target_(target) {}

  void add(std::string_view source, std::string_view target) {
    source_.write(std::string(source) + '\n');
    target_.write(std::string(target) + '\n');
  }

  void commit() {
    const InterruptsWait until_both_are_there;
    source_.commit();
    target_.commit();
  }

 private:
  OutputFile source_;
  OutputFile target_;
};

void print_lengths(const Console& console, std::string_view side, const SideStatistics& statistics) {
  const auto line = [&](std::string_view name, std::string_view unit, const LengthSummary& lengths) {
    console.out << fmt::format("{:<11} {:<10} {:>8} {:>8} {:>8}\n", name, unit, lengths.median,
                               lengths.percentile_95, lengths.longest);
  };
  line(side, "words", statistics.words.summary());
  line("", "characters", statistics.characters.summary());
}

void print_report(const Console& console, const CorpusReport& report, const CorpusStatistics& statistics,
                  bool unique) {
  const int64_t dropped = report.read - report.kept;
  console.out << fmt::format("Pairs       {} read, {} kept\n", report.read, report.kept);
  if (dropped > 0) console.out << fmt::format("Dropped     {}: {}\n", dropped, report.reasons());
  console.out << fmt::format("Duplicates  {}{}\n\n", statistics.duplicates(), unique ? ", left out" : "");
  console.out << fmt::format("{:<11} {:<10} {:>8} {:>8} {:>8}\n", "Lengths", "", "median", "95 %", "longest");
  print_lengths(console, "Source", statistics.source());
  print_lengths(console, "Target", statistics.target());
  console.out << "\nSamples\n";
  // An arrow takes two columns more than the indentation of the source.
  for (const auto& [source, target] : statistics.samples())
    console.out << fmt::format("  {}\n  → {}\n", shorten(printable(source), console.style.width - 2),
                               shorten(printable(target), console.style.width - 4));
}

nlohmann::ordered_json json_of(const SideStatistics& side) {
  const auto lengths = [](const LengthSummary& summary) {
    return nlohmann::ordered_json{
        {"median", summary.median}, {"percentile_95", summary.percentile_95}, {"longest", summary.longest}};
  };
  return {{"words", lengths(side.words.summary())}, {"characters", lengths(side.characters.summary())}};
}

nlohmann::ordered_json json_of(const CorpusReport& report, const CorpusStatistics& statistics) {
  nlohmann::ordered_json dropped = nlohmann::ordered_json::object(),
                         samples = nlohmann::ordered_json::array();
  for (int i = 0; i < drop_reasons; ++i)
    dropped[std::string(name_of(static_cast<Drop>(i)))] = report.dropped_for(static_cast<Drop>(i));
  for (const auto& [source, target] : statistics.samples())
    samples.push_back({{"source", source}, {"target", target}});
  return {{"read", report.read},
          {"kept", report.kept},
          {"dropped", dropped},
          {"duplicates", statistics.duplicates()},
          {"source", json_of(statistics.source())},
          {"target", json_of(statistics.target())},
          {"samples", samples}};
}

}  // namespace

CorpusCommand::CorpusCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("corpus", "Show what a corpus holds, and write it as parallel text");
  add_flags(command);
  command.footer(notes);
  // Throwing from here makes a mistake in the combination of flags one of usage.
  command.callback([this] { check_usage(); });
}

void CorpusCommand::add_flags(CLI::App& command) {
  command.add_option("--input", input_.files, "Files to read; text files two by two; - for standard input")
      ->option_text("FILE...");
  command
      .add_option_function<std::string>(
          "--format", [this](const std::string& name) { input_.format = parse_format(name); },
          "What the files hold (if not given, their extensions tell)")
      ->option_text("text|tsv|jsonl|tmx|po|mo");
  command.add_option("--from", input_.source, "Source language of TMX, or key of JSONL (the first found)")
      ->option_text("LANG");
  command.add_option("--to", input_.target, "Target language of TMX, or key of JSONL (the second found)")
      ->option_text("LANG");
  command
      .add_option("--installed", installed_,
                  "Read the messages of the installed software, from English into this language")
      ->option_text("LANG");
  command.add_option("--root", root_, "Where --installed looks (/usr/share/locale)")->option_text("FOLDER");
  command.add_option("--output", output_, "Text files to write, source and target")
      ->option_text("FILE FILE")
      ->expected(2);
  command.add_flag("--unique", unique_, "Leave out pairs that came before");
  command.add_flag("--truncate", input_.truncate, "Ignore the lines that only the longer text file has");
  command.add_option("--longest", input_.longest, "Drop pairs with more characters on a side (2000)")
      ->option_text("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40).description(""));
  command.add_flag("--json", json_, "Print JSON");
}

void CorpusCommand::check_usage() const {
  if (input_.files.empty() == installed_.empty())
    throw CLI::ValidationError("corpus", "either --input or --installed is needed");
  if (!root_.empty() && installed_.empty()) throw CLI::ValidationError("--root", "is for --installed only");
  if (output_.size() == 2 && output_[0] == output_[1])
    throw CLI::ValidationError("--output", "source and target cannot be the same file");
  if (installed_.find('/') != std::string::npos)
    throw CLI::ValidationError("--installed",
                               fmt::format("{} is not a language such as de", quote(installed_)));
}

CorpusReport CorpusCommand::read(const Console& console, const PairConsumer& consume) const {
  if (installed_.empty()) return read_corpus(input_, consume);
  const std::vector<std::filesystem::path> folders =
      root_.empty() ? message_folders() : std::vector<std::filesystem::path>{root_};
  return read_installed(folders, installed_, input_.longest, consume,
                        [&](const std::string& sentence) { console.err << "heed: " << sentence << '\n'; });
}

void CorpusCommand::run(const Console& console) const {
  std::optional<ParallelTextWriter> writer;
  if (!output_.empty()) writer.emplace(output_[0], output_[1]);
  CorpusStatistics statistics;
  const CorpusReport report = read(console, [&](std::string_view source, std::string_view target) {
    const bool is_new = statistics.add(source, target);
    if (writer && (is_new || !unique_)) writer->add(source, target);
  });
  if (writer) writer->commit();
  if (json_)
    console.out << json_of(report, statistics).dump(2) << '\n';
  else
    print_report(console, report, statistics, unique_);
}

}  // namespace heed
