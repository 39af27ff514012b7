// The flags of `heed translate`, and what they make happen.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/app/cli/translation_text.h"
#include "heed/decoding/beam_search.h"

namespace heed {

class TranslateCommand {
 public:
  // Adds the command to the program.
  explicit TranslateCommand(CLI::App& program);

  // Translates standard input line by line. An Error if the model is at fault.
  void run(const Console& console) const;

 private:
  void check_usage();

  std::string model_;
  SearchOptions search_;
  TranslationFormat format_;
  int n_best_ = 0;  // 0: not asked for
  int threads_;
};

}  // namespace heed
