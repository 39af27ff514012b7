// `heed convert`: writes a model of heed or of another tool as one of heed or of another tool.
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
  template <typename Folder>
  void store(Folder model, const Console& console) const;

  std::string from_, to_, adapter_, format_ = "heed";
  bool float16_ = false, int8_ = false, accept_changes_ = false;
};

}  // namespace heed
