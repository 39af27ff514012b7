#include "heed/app/cli/shortlist_command.h"

#include "heed/app/cli/corpus_flags.h"
#include "heed/app/cli/flag_checks.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/rounds_display.h"
#include "heed/app/cli/standard_streams.h"
#include "heed/base/workers.h"
#include "heed/folders/shortlist_file.h"

namespace heed {

namespace {

constexpr const char* shortlist_notes =
    R"(With a shortlist, a model scores only some hundreds of words for a sentence instead of its
whole vocabulary: those that the words of the sentence were linked to in a corpus, best the one that
the model was trained on, and the most frequent ones. It is stored in the model's folder, and used
where it is asked for:

  $ heed shortlist --model en-de --train text.en text.de
  $ heed translate --model en-de --shortlist < new.en > new.de
  $ heed serve --model en-de --shortlist
)";

}  // namespace

ShortlistCommand::ShortlistCommand(CLI::App& program) {
  CLI::App& command = *program.add_subcommand(
      "shortlist", "Learn which words can translate which, so that a model is faster");
  add_flags(command);
  command.footer(shortlist_notes);
  command.callback([this] {
    std::vector<FileFlag> files;
    for (const std::string& file : input_.files) files.push_back({"--train", file});
    check_one_reads_standard_input(files);
  });
}

void ShortlistCommand::add_flags(CLI::App& command) {
  command.add_option("--model", model_, "Model folder")
      ->option_text("DIR")
      ->transform(model_name())
      ->required();
  command.add_option("--train", input_.files, "Sentence pairs to learn from; - for standard input")
      ->option_text("FILE...")
      ->check(file_name())
      ->required();
  command
      .add_option("--best", options_.best, "Candidates for each piece of a source (default: 100)")
      ->option_text("N")
      ->check(between<int64_t>(0, 1'000'000));
  command
      .add_option("--frequent", options_.frequent,
                  "Candidates for every sentence: frequent pieces (default: 200)")
      ->option_text("N")
      ->check(between<int64_t>(0, 1'000'000));
  add_corpus_flags(command, input_);
  command.add_option("--threads", threads_, "Threads (default: 0, one per core)")
      ->option_text("N")
      ->check(between(0, 1024));
  command.add_flag("--force", forced_, "Read files even if they do not look like text");
}

void ShortlistCommand::run(const Console& console) const {
  CorpusInput input = input_;
  input.check = check_unless(forced_);
  const ShortlistVocabularies vocabularies = load_shortlist_vocabularies(model_);
  Workers workers(threads_ == 0 ? core_count() : threads_);
  const LearntShortlist learnt = [&] {
    const RoundsDisplay display(console);
    return learn_shortlist(input, vocabularies.source, vocabularies.target, options_, workers,
                           display.progress());
  }();
  save_shortlist(model_, learnt.shortlist);
  if (learnt.report.kept < learnt.report.read)
    console.err << fmt::format("heed: {} of {} pairs were not learnt from: {}\n",
                               learnt.report.read - learnt.report.kept, learnt.report.read,
                               learnt.report.reasons());
  console.err << fmt::format(
      "{} of {} target pieces for a sentence, in the mean; {:.2f} % of those in the pairs are "
      "among them\n",
      std::llround(learnt.candidates), vocabularies.target.size(), 100 * learnt.covered);
}

}  // namespace heed
