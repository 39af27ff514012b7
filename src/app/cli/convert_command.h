// `heed convert`: a model of another tool as a model folder of heed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

class ConvertCommand {
 public:
  // Adds the command to the program.
  explicit ConvertCommand(CLI::App& program);

  void run(const Console& console) const;

 private:
  std::string from_, to_;
};

}  // namespace heed
