// The flags of `heed train`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/app/cli/train_options.h"

namespace heed {

class TrainCommand {
 public:
  // Adds the command to the program.
  explicit TrainCommand(CLI::App& program);

  // Returns the exit code.
  int run(const Console& console) const;

  // What was asked for, once the arguments are parsed.
  const TrainOptions& options() const { return options_; }

 private:
  void add_corpus_flags(CLI::App& command);
  void add_vocabulary_flags(CLI::App& command);
  void add_model_flags(CLI::App& command);
  void add_learning_flags(CLI::App& command);
  void add_validation_flags(CLI::App& command);
  void add_run_flags(CLI::App& command);
  void read_budget(const CLI::App& command);
  void refuse_what_does_not_fit() const;

  CLI::App& command_;
  TrainOptions options_;
  bool print_config_ = false;
  std::string model_folder_, time_, memory_;
};

}  // namespace heed
