// `heed manual`: man pages, web pages and completions of the program itself.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

class ManualCommand {
 public:
  // Adds the command to the program, whose other commands it describes when it runs.
  explicit ManualCommand(CLI::App& program);

  void run(const Console& console) const;

 private:
  const CLI::App& program_;
  std::string man_, markdown_, shell_;
};

}  // namespace heed
