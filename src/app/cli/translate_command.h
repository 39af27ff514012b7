// `heed translate`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/app/cli/document_run.h"
#include "heed/app/cli/line_stream.h"
#include "heed/app/cli/translation_counts.h"
#include "heed/app/cli/translation_text.h"
#include "heed/base/communicator.h"
#include "heed/data/glossary.h"
#include "heed/decoding/search_options.h"

namespace heed {

class TranslateCommand {
 public:
  // Adds the command to the program.
  explicit TranslateCommand(CLI::App& program);

  // Translates standard input or a file, line by line or as a document. An Error if something is
  // wrong with the model or a file.
  void run(const Console& console) const;
  // The same, shared by the ranks; a run that was killed is continued, see lead_translation.
  void run_on(Communicator& ranks, const Console& console) const;

 private:
  void check_usage();
  TranslationCounts translate(TextLines& lines, const Console& console) const;
  TranslationCounts translate_lines(const Translator& translator, TextLines& lines,
                                    const Console& console) const;
  Translator load(int cores) const;
  std::shared_ptr<const Glossary> read_glossary() const;
  std::string identity() const;
  void report(const TranslationCounts& counts, const Console& console) const;

  void add_search_flags(CLI::App& command);
  SearchOptions search_with(const Translator& translator) const;
  void add_sampling_flags(CLI::App& command);
  void add_document_flags(CLI::App& command);
  void check_document_usage() const;

  CLI::App& command_;
  std::vector<std::filesystem::path> models_;
  std::string input_ = "-", output_ = "-";
  bool forced_ = false;  // to read what does not look like text
  std::string prefixes_, glossary_;
  Sampling sampling_;
  bool samples_ = false;
  SearchOptions search_;
  TranslationFormat format_;
  int n_best_ = 0;   // 0: not asked for
  int threads_ = 0;  // 0: as many as there are cores
  bool int8_ = false;
  bool shortlist_ = false;
  std::string adapter_, tag_;
  std::optional<int64_t> max_source_;
  bool strict_ = false;
  DocumentSettings document_;
};

}  // namespace heed
