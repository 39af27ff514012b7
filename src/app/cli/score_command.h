// `heed score`: how likely a model finds given translations.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/decoding/scoring.h"

namespace heed {

class ScoreCommand {
 public:
  // Adds the command to the program.
  explicit ScoreCommand(CLI::App& program);

  // A line for each pair, and what they amount to on standard error. An Error if a file or the
  // model is at fault.
  void run(const Console& console) const;

 private:
  std::string model_, source_, target_;
  bool words_ = false, json_ = false, forced_ = false;
  int64_t max_length_ = ScoringOptions().max_length;
  int threads_ = 0;  // 0 for all cores
};

}  // namespace heed
