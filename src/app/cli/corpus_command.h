// `heed corpus`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/data/corpus.h"

namespace heed {

class CorpusCommand {
 public:
  // Adds the command to the program.
  explicit CorpusCommand(CLI::App& program);

  // Does what the parsed flags ask for. An Error if something is wrong with a file.
  void run(const Console& console) const;

 private:
  void add_flags(CLI::App& command);
  void check_usage() const;
  CorpusReport read(const Console& console, const PairConsumer& consume) const;

  CorpusInput input_;
  std::vector<std::string> output_;
  std::string installed_, root_;
  bool unique_ = false;
  bool json_ = false;
  bool forced_ = false;
};

}  // namespace heed
