// `heed align`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/runs/corpus_alignment.h"

namespace heed {

class AlignCommand {
 public:
  // Adds the command to the program.
  explicit AlignCommand(CLI::App& program);

  // Does what the parsed flags ask for. An Error if something is wrong with a file.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);
  void check_usage() const;

  CorpusInput input_;                // what is learnt from
  std::vector<std::string> others_;  // files to align instead
  std::string output_ = "-";
  std::optional<Symmetrisation> method_;
  CorpusAlignmentOptions options_;
  int threads_ = 0;
  bool forced_ = false;
};

}  // namespace heed
