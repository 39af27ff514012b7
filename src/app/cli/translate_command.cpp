#include "heed/app/cli/translate_command.h"

#include <algorithm>
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
  command.add_option("--threads", threads_, "Threads that share the model (all cores if not given)")
      ->option_text("N")
      ->check(CLI::Range(1, most_threads).description(""));
  command.footer(worked_example);
}

void TranslateCommand::run(const Console& console) const {
  ModelFolder folder = load_model_folder(model_);
  const Translator translator(std::move(folder.model), folder.source, folder.target, {.threads = threads_});
  const LineCounts counts = transform_lines(console.in, console.out, [&](std::span<const std::string> lines) {
    return translator.translate(lines, search_);
  });
  if (counts.not_utf8 > 0)
    console.err << fmt::format("heed: {} of {} lines were not UTF-8; what was not became U+FFFD\n",
                               counts.not_utf8, counts.lines);
}

}  // namespace heed
