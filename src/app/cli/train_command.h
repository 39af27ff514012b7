// The flags of `heed train`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/base/communicator.h"
#include "heed/runs/training_settings.h"

namespace heed {

class TrainCommand {
 public:
  // Adds the command to the program.
  explicit TrainCommand(CLI::App& program);

  // Returns the exit code.
  int run(const Console& console, Communicator& ranks = alone()) const;

  // What was asked for, once the arguments are parsed.
  const TrainingSettings& settings() const { return settings_; }

 private:
  void add_flags();
  void refuse_what_does_not_fit() const;

  CLI::App& command_;
  TrainingSettings settings_;
  bool print_config_ = false;
  std::string model_folder_;
};

}  // namespace heed
