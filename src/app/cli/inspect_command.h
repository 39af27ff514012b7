// `heed inspect`: what a model folder holds.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

class InspectCommand {
 public:
  // Adds the command to the program.
  explicit InspectCommand(CLI::App& program);

  void run(const Console& console) const;

 private:
  template <typename Folder>
  void show(const Folder& model, const std::filesystem::path& folder, const Console& console) const;

  std::string folder_, named_folder_;
  bool json_ = false;
  bool parameters_ = false;
};

}  // namespace heed
