// `heed translate`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/translation_text.h"
#include "heed/decoding/search_options.h"

namespace heed {

// Statistics of the translated lines.
struct TranslationCounts {
  LineCounts lines;
  int64_t translations = 0;
  int64_t in_parts = 0;   // lines that were too long for the model
  int64_t cut = 0;        // best translations that were cut at the maximum length
  int64_t unaligned = 0;  // lines with too many words for a soft alignment

  void add(std::span<const Translation> ranked, const TranslationFormat& format);
};

class TranslateCommand {
 public:
  // Adds the command to the program.
  explicit TranslateCommand(CLI::App& program);

  // Translates standard input or a file line by line. An Error if something is wrong with the model
  // or a file.
  void run(const Console& console) const;

 private:
  void check_usage();
  TranslationCounts translate(TextLines& lines, const Console& console) const;
  TranslationCounts translate_lines(const Translator& translator, TextLines& lines,
                                    const Console& console) const;
  void report(const TranslationCounts& counts, const Console& console) const;

  void add_search_flags(CLI::App& command);
  void add_sampling_flags(CLI::App& command);

  std::vector<std::filesystem::path> models_;
  std::string input_ = "-", output_ = "-";
  bool forced_ = false;  // to read what does not look like text
  std::string prefixes_;
  Sampling sampling_;
  bool samples_ = false;
  SearchOptions search_;
  TranslationFormat format_;
  int n_best_ = 0;   // 0: not asked for
  int threads_ = 0;  // 0: as many as there are cores
  bool int8_ = false;
  std::optional<int64_t> max_source_;
  bool strict_ = false;
};

}  // namespace heed
