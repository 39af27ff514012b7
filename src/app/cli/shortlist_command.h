// `heed shortlist`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/runs/shortlist_training.h"

namespace heed {

class ShortlistCommand {
 public:
  // Adds the command to the program.
  explicit ShortlistCommand(CLI::App& program);

  // Does what the parsed flags ask for. An Error if something is wrong with a file.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);

  CorpusInput input_;
  std::string model_;
  ShortlistOptions options_;
  int threads_ = 0;
  bool forced_ = false;
};

}  // namespace heed
