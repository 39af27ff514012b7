// `heed models`: the models that a user keeps.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"

namespace heed {

class ModelsCommand {
 public:
  // Adds the command to the program.
  explicit ModelsCommand(CLI::App& program);

  void run(const Console& console) const;

 private:
  std::vector<std::string> folders_;
  bool json_ = false;
};

}  // namespace heed
