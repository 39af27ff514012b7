#include "heed/app/cli/corpus_command.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "heed/app/cli/corpus_flags.h"
#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/text.h"
#include "heed/data/corpus_statistics.h"
#include "heed/data/installed_messages.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* corpus_notes =
    R"(Formats: two parallel text files; TSV (the first two columns); JSONL ({"source": ...,
"target": ...} or {"translation": {"en": ..., "de": ...}}); TMX; gettext PO and MO. The extension
decides unless --format is given. gzip and zstd are recognised by their bytes. Tabs and line
breaks inside a sentence become spaces.

Examples:
  $ heed corpus --input train.en.gz train.de.gz
  $ heed corpus --input memory.tmx --from en --to de --output memory.en memory.de
  $ heed corpus --installed de --unique --output software.en software.de
  $ zcat train.en.gz | heed corpus --input - train.de --output clean.en clean.de
)";

// Works for files that do not exist yet, and for different names of one file.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code unknown;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(one, unknown), unknown) ==
         std::filesystem::weakly_canonical(std::filesystem::absolute(other, unknown), unknown);
}

// The two files of a parallel text. Both appear only once they are complete.
class ParallelTextWriter {
 public:
  ParallelTextWriter(const std::string& source, const std::string& target)
      : source_(source), target_(target) {}

  void add(std::string_view source, std::string_view target) {
    source_ << source << '\n';
    target_ << target << '\n';
  }

  void commit() {
    // If the disk is too full for one of them, both stay as they were.
    source_.finish();
    target_.finish();
    const InterruptsWait until_both_are_there;
    source_.commit();
    target_.commit();
  }

 private:
  OutputStream source_;
  OutputStream target_;
};

void print_lengths(std::ostream& out, std::string_view side, const SideStatistics& statistics) {
  const auto line = [&](std::string_view name, std::string_view unit,
                        const LengthSummary& lengths) {
    out << fmt::format("{:<11} {:<10} {:>8} {:>8} {:>8}\n", name, unit, lengths.median,
                       lengths.percentile_95, lengths.longest);
  };
  line(side, "words", statistics.words.summary());
  line("", "characters", statistics.characters.summary());
}

void print_report(std::ostream& out, int width, const CorpusReport& report,
                  const CorpusStatistics& statistics, bool unique) {
  const int64_t dropped = report.read - report.kept;
  out << fmt::format("Pairs       {} read, {} kept\n", report.read, report.kept);
  if (dropped > 0) out << fmt::format("Dropped     {}: {}\n", dropped, report.reasons());
  out << fmt::format("Duplicates  {}{}\n\n", statistics.duplicates(), unique ? ", left out" : "");
  out << fmt::format("{:<11} {:<10} {:>8} {:>8} {:>8}\n", "Lengths", "", "median", "95 %",
                     "longest");
  print_lengths(out, "Source", statistics.source());
  print_lengths(out, "Target", statistics.target());
  out << "\nSamples\n";
  // An arrow takes two columns more than the indentation of the source.
  for (const auto& [source, target] : statistics.samples())
    out << fmt::format("  {}\n  → {}\n", shorten(printable(source), width - 2),
                       shorten(printable(target), width - 4));
}

Json json_of(const SideStatistics& side) {
  const auto lengths = [](const LengthSummary& summary) {
    return json_object<Json>({{"median", summary.median},
                              {"percentile_95", summary.percentile_95},
                              {"longest", summary.longest}});
  };
  return json_object<Json>({{"words", lengths(side.words.summary())},
                            {"characters", lengths(side.characters.summary())}});
}

Json json_of(const CorpusReport& report, const CorpusStatistics& statistics) {
  Json dropped = Json::object(), samples = Json::array();
  for (int i = 0; i < drop_reasons; ++i)
    dropped[std::string(name_of(static_cast<Drop>(i)))] = report.dropped_for(static_cast<Drop>(i));
  for (const auto& [source, target] : statistics.samples())
    samples.push_back(json_object<Json>({{"source", source}, {"target", target}}));
  return json_object<Json>({{"read", report.read},
                            {"kept", report.kept},
                            {"dropped", dropped},
                            {"duplicates", statistics.duplicates()},
                            {"source", json_of(statistics.source())},
                            {"target", json_of(statistics.target())},
                            {"samples", samples}});
}

}  // namespace

CorpusCommand::CorpusCommand(CLI::App& program) {
  CLI::App& command =
      *program.add_subcommand("corpus", "Show what a corpus holds, and write it as parallel text");
  add_flags(command);
  command.footer(corpus_notes);
  // An exception from here counts as wrong usage.
  command.callback([this] { check_usage(); });
}

void CorpusCommand::add_flags(CLI::App& command) {
  command
      .add_option("--input", input_.files,
                  "Files to read; text files as source and target; - for standard input")
      ->option_text("FILE...")
      ->check(file_name());
  add_corpus_flags(command, input_);
  command
      .add_option("--installed", installed_,
                  "Read translations of installed software from English into LANG")
      ->option_text("LANG");
  command
      .add_option("--root", root_, "Folder that --installed searches (default: /usr/share/locale)")
      ->option_text("DIR")
      ->check(file_name());
  command
      .add_option("--output", output_,
                  "Text files to write, source and target; - for standard output")
      ->option_text("FILE FILE")
      ->expected(2)
      ->check(file_name());
  command.add_flag("--unique", unique_, "Leave out duplicate pairs");
  command.add_flag("--json", json_, "Print the report as JSON");
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
}

void CorpusCommand::check_usage() const {
  if (input_.files.empty() == installed_.empty())
    throw CLI::ValidationError("corpus", "give either --input or --installed");
  if (!root_.empty() && installed_.empty())
    throw CLI::ValidationError("--root", "needs --installed");
  std::vector<FileFlag> read, written;
  for (const std::string& file : input_.files) read.push_back({"--input", file});
  for (const std::string& file : output_) written.push_back({"--output", file});
  check_one_reads_standard_input(read);
  check_one_writes_standard_output(written);
  if (output_.size() == 2 && is_same_file(output_[0], output_[1]))
    throw CLI::ValidationError("--output", "source and target cannot be the same file");
  if (installed_.find('/') != std::string::npos)
    throw CLI::ValidationError("--installed",
                               fmt::format("{} is not a language such as de", quote(installed_)));
}

CorpusReport CorpusCommand::read(const Console& console, const PairConsumer& consume) const {
  CorpusInput input = input_;
  input.check = check_unless(forced_);
  if (installed_.empty()) return read_corpus(input, consume);
  const std::vector<std::filesystem::path> folders =
      root_.empty() ? message_folders() : std::vector<std::filesystem::path>{root_};
  return read_installed(
      folders, installed_, input_.max_characters, consume,
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
  // If the text itself goes to standard output, the report must not end up in it.
  const bool text_is_shown =
      std::ranges::any_of(output_, [](auto& file) { return is_standard_output(file); });
  std::ostream& out = text_is_shown ? console.err : console.out;
  if (json_)
    out << json_of(report, statistics).dump(2) << '\n';
  else
    print_report(out, console.style.width, report, statistics, unique_);
}

}  // namespace heed
