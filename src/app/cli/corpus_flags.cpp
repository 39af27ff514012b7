#include "heed/app/cli/corpus_flags.h"

#include <optional>
#include <string>

#include "heed/app/cli/flag_checks.h"

namespace heed {

namespace {

CorpusFormat parse_format(const std::string& name) {
  if (const std::optional<CorpusFormat> format = format_named(name)) return *format;
  throw CLI::ValidationError("--format", refusal(name, "text, tsv, jsonl, tmx, po or mo"));
}

}  // namespace

void add_corpus_flags(CLI::App& command, CorpusInput& input) {
  command
      .add_option_function<std::string>(
          "--format", [&input](const std::string& name) { input.format = parse_format(name); },
          "Format of the files (default: by extension)")
      ->option_text("text|tsv|jsonl|tmx|po|mo");
  command
      .add_option("--from", input.source,
                  "Source language of TMX, or key of JSONL (default: the first found)")
      ->option_text("LANG");
  command
      .add_option("--to", input.target,
                  "Target language of TMX, or key of JSONL (default: the second found)")
      ->option_text("LANG");
  command.add_flag("--truncate", input.truncate, "Ignore the extra lines of the longer text file");
  command
      .add_option("--max-characters", input.max_characters,
                  "Drop pairs with more characters on either side (default: 2000)")
      ->option_text("N")
      ->check(at_least<int64_t>(1));
}

}  // namespace heed
