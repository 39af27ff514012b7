// `heed demo`: two models learn to read dates and show what they attend to.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

struct DemoOptions {
  std::string svg = "attention.svg";
  std::string model = {};  // where the Transformer is kept, or nothing
  int threads = 0;         // one per core
  int64_t steps = 0;       // of each model; 0: as many as it needs
  uint64_t seed = 1;
};

class DemoCommand {
 public:
  // Adds the command to the program.
  explicit DemoCommand(CLI::App& program);

  void run(const Console& given) const;

 private:
  DemoOptions options_;
};

}  // namespace heed
