// `heed inspect`: what a model folder holds.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

class InspectCommand {
 public:
  // Adds the command to the program.
  explicit InspectCommand(CLI::App& program);

  void run(const Console& console) const;

 private:
  std::string folder_, named_folder_;
  bool json_ = false;
  bool parameters_ = false;
};

}  // namespace heed
