#include "heed/app/cli/align_command.h"

#include <algorithm>
#include <string_view>

#include "heed/app/cli/corpus_flags.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/rounds_display.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/files.h"
#include "heed/base/workers.h"

namespace heed {

namespace {

constexpr const char* align_notes =
    R"(Learns which words translate each other from the sentence pairs alone, and writes the links
of each pair on a line, words counted from 0: 0-0 1-2. A pair that cannot be used gets an empty
line. Words are what stands between spaces, or what --tokenise makes of a text.

  $ heed align --train text.en text.de > links
  $ heed align --train memory.tmx --from en --to de --symmetrise grow-diag-final-and > links
  $ heed align --train test.en test.de text.en text.de --align test.en test.de > test.links
  $ heed evaluate --links test.links --gold test.gold

Methods of --symmetrise: forward has one source word for each target word, reverse one target word
for each source word; intersect, union, grow-diag, grow-diag-final and grow-diag-final-and make one
alignment of the two. agreement, the default, takes the links that are probable in both.
)";

constexpr std::string_view agreement = "agreement";

std::optional<Symmetrisation> parse_method(const std::string& name) {
  if (name == agreement) return std::nullopt;
  std::vector<std::string_view> names = {agreement};
  for (const Symmetrisation method : every_symmetrisation) {
    if (name_of(method) == name) return method;
    names.push_back(name_of(method));
  }
  throw CLI::ValidationError("--symmetrise",
                             refusal(name, fmt::format("one of {}", fmt::join(names, ", "))));
}

Tokeniser parse_tokeniser(const std::string& name) {
  std::vector<std::string_view> names;
  for (const Tokeniser tokeniser : every_tokeniser) {
    if (name_of(tokeniser) == name) return tokeniser;
    names.push_back(name_of(tokeniser));
  }
  throw CLI::ValidationError("--tokenise",
                             refusal(name, fmt::format("one of {}", fmt::join(names, ", "))));
}

void report_dropped(const Console& console, const CorpusReport& report, std::string_view what) {
  if (report.kept < report.read)
    console.err << fmt::format("heed: {} of {} pairs {}: {}\n", report.read - report.kept,
                               report.read, what, report.reasons());
}

}  // namespace

AlignCommand::AlignCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "align", "Learn which words of sentence pairs translate each other, and link them");
  add_flags(command);
  command.footer(align_notes);
  command.callback([this] { check_usage(); });
}

void AlignCommand::add_flags(CLI::App& command) {
  command.add_option("--train", input_.files, "Sentence pairs to learn from; - for standard input")
      ->option_text("FILE...")
      ->check(file_name())
      ->required();
  command.add_option("--align", others_, "Sentence pairs to link (default: those learnt from)")
      ->option_text("FILE...")
      ->check(file_name());
  command.add_option("--output", output_, "File to write (default: -, standard output)")
      ->option_text("FILE")
      ->check(file_name());
  command
      .add_option_function<std::string>(
          "--symmetrise", [this](const std::string& name) { method_ = parse_method(name); },
          "How to make one alignment of both directions (default: agreement)")
      ->option_text("METHOD");
  command
      .add_option_function<std::string>(
          "--tokenise",
          [this](const std::string& name) { options_.tokeniser = parse_tokeniser(name); },
          "How to split the texts into words (default: none, at spaces only)")
      ->option_text("none|13a|intl|zh|char");
  command
      .add_option("--stem", options_.characters,
                  "Characters of a word that count; 0: all (default: 5)")
      ->option_text("N")
      ->check(between(0, 1000));
  add_corpus_flags(command, input_);
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
}

void AlignCommand::check_usage() const {
  std::vector<FileFlag> files;
  for (const std::string& file : input_.files) files.push_back({"--train", file});
  for (const std::string& file : others_) files.push_back({"--align", file});
  check_one_reads_standard_input(files);
}

void AlignCommand::run(const Console& console) const {
  CorpusInput input = input_;
  input.check = check_unless(forced_);
  std::optional<OutputStream> file;
  if (!is_standard_output(output_)) file.emplace(output_);
  std::ostream& out = file ? *file : console.out;
  Workers workers(threads_ == 0 ? core_count() : threads_);
  CorpusAlignment alignment(options_, workers);
  const CorpusReport learnt = [&] {
    const RoundsDisplay display(console);
    return alignment.learn(input, display.progress());
  }();
  const auto write = [&](const std::string& line) { out << line << '\n'; };
  if (others_.empty()) {
    report_dropped(console, learnt, "have no links");
    alignment.write_links(method_, write);
  } else {
    report_dropped(console, learnt, "were not learnt from");
    input.files = others_;
    report_dropped(console, alignment.write_links_of(input, method_, write), "have no links");
  }
  if (file) file->commit();
}

}  // namespace heed
