#include "heed/app/cli/translate_command.h"

#include <algorithm>
#include <map>
#include <thread>

#include "heed/app/cli/line_stream.h"
#include "heed/base/error.h"
#include "heed/decoding/translator.h"
#include "heed/models/model_folder.h"

namespace heed {

namespace {

constexpr const char* worked_example =
    R"(Reads lines from standard input and writes as many to standard output, in the same order, each as soon as it
can. An empty line stays empty; what is not UTF-8 becomes U+FFFD and is counted on standard error.

  $ heed translate --model en-de < text.en > text.de

--nbest N writes up to N lines for each: its number, a translation and its score, as Moses and Marian do, with
" ||| " between them. An alignment stands at the end of a line, behind " ||| ": for pharaoh, pairs of a source
word and the target word that looked at it, counted from 0; for soft, the weights of each target word over all
source words.
)";

constexpr int widest_beam = 1000;
constexpr int most_threads = 1024;

int all_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

TranslateCommand::TranslateCommand(CLI::App& program) : threads_(all_cores()) {
  CLI::App& command = *program.add_subcommand("translate", "Translate lines with a trained model");
  command.add_option("--model", model_, "Folder of the model")->option_text("DIR")->required();
  command
      .add_option("--beam", search_.beam, "Translations to try side by side (5 if not given; 1 is greedy)")
      ->option_text("N")
      ->check(CLI::Range(1, widest_beam).description(""));
  command
      .add_option("--length-penalty", search_.length_penalty,
                  "Translations compete by log-probability / length^P (1 if not given; 0 favours the short)")
      ->option_text("P")
      ->check(CLI::Range(0.0, 10.0).description(""));
  command
      .add_option("--nbest", n_best_,
                  "Write the N best translations of each line; at most as many as the beam")
      ->option_text("N")
      ->check(CLI::Range(1, widest_beam).description(""));
  command.add_flag("--scores", format_.scores, "Write the score and a tab before each translation");
  command
      .add_option("--alignment", format_.alignment,
                  "Write which words the words of the translation looked at")
      ->option_text("pharaoh|soft")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, AlignmentFormat>{
                                      {"pharaoh", AlignmentFormat::pharaoh}, {"soft", AlignmentFormat::soft}})
              .description(""));
  command.add_flag("--json", format_.json, "Write a JSON object for each line");
  command.add_option("--threads", threads_, "Threads that share the model (all cores if not given)")
      ->option_text("N")
      ->check(CLI::Range(1, most_threads).description(""));
  command.footer(worked_example);
  command.parse_complete_callback([this] { check_usage(); });
}

void TranslateCommand::check_usage() {
  if (n_best_ > search_.beam)
    throw CLI::ValidationError(
        fmt::format("--nbest: {} translations, but the beam is {}", n_best_, search_.beam));
  search_.n_best = std::max(1, n_best_);
  search_.want_attention = format_.alignment != AlignmentFormat::none;
  format_.n_best = n_best_ > 0;
}

void TranslateCommand::run(const Console& console) const {
  ModelFolder folder = load_model_folder(model_);
  const Translator translator(std::move(folder.model), folder.source, folder.target, {.threads = threads_});
  int64_t number = 0;
  const LineCounts counts = transform_lines(console.in, console.out, [&](std::span<const std::string> lines) {
    std::vector<std::string> texts;
    for (const std::vector<Translation>& ranked : translator.translate_n_best(lines, search_)) {
      texts.push_back(translation_text(ranked, number, lines[texts.size()], format_));
      ++number;
    }
    return texts;
  });
  if (counts.not_utf8 > 0)
    console.err << fmt::format("heed: {} of {} lines were not UTF-8; what was not became U+FFFD\n",
                               counts.not_utf8, counts.lines);
}

}  // namespace heed
