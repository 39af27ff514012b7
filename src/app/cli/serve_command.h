// `heed serve`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/server/server.h"

namespace heed {

class ServeCommand {
 public:
  // Adds the command to the program.
  explicit ServeCommand(CLI::App& program);

  // Serves until a signal asks it to end. An Error if it cannot begin.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);
  void add_access_flags(CLI::App& command);
  void add_limit_flags(CLI::App& command);
  ServerSettings settings(const Console& console) const;

  CLI::App& command_;
  std::vector<std::string> models_, glossaries_, adapters_, tags_;
  ServerSettings wanted_;
  std::string key_file_, page_folder_;
  int port_ = 5000, threads_ = 0;
  int64_t receive_seconds_ = 10, idle_seconds_ = 75, request_seconds_ = 60;
  bool prints_config_ = false, watches_ = false, quiet_ = false, leaves_page_out_ = false;
};

}  // namespace heed
