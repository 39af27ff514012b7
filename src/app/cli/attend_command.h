// `heed attend`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/cli/attend_input.h"
#include "heed/app/cli/console.h"

namespace heed {

class AttendCommand {
 public:
  // Adds the command to the program.
  explicit AttendCommand(CLI::App& program);

  // Does what the parsed flags ask for. An Error if something is wrong with a file.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);
  void check_usage() const;

  AttendOptions options_;
  std::string input_, output_, svg_, html_, example_;
  bool show_ = false;
  bool no_weights_ = false;
};

}  // namespace heed
