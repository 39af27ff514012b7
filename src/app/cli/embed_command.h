// `heed embed`: texts as vectors.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"

namespace heed {

class EmbedCommand {
 public:
  // Adds the command to the program.
  explicit EmbedCommand(CLI::App& program);

  // Reads texts from standard input, one per line, and writes their vectors. An Error if something
  // is wrong with the texts or the model.
  void run(const Console& console) const;

 private:
  std::string model_, output_, pooling_ = "mean";
  bool json_ = false, int8_ = false, forced_ = false;
  int threads_ = 0;  // 0 for all cores
};

}  // namespace heed
