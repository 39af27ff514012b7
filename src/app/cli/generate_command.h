// heed generate: continues texts with a language model.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/decoding/text_generator.h"

namespace heed {

class GenerateCommand {
 public:
  // Adds the command to the program.
  explicit GenerateCommand(CLI::App& program);

  // Continues the prompt, or each line of standard input. An Error if something is wrong with the
  // model or a prompt.
  void run(const Console& console) const;

 private:
  void add_sampling_flags(CLI::App& command);
  void check_usage();
  void continue_lines(const TextGenerator& generator, const Console& console) const;
  // Writes the text as it grows.
  void stream(const TextGenerator& generator, const Console& console) const;
  GenerationRequest request_for(const std::string& prompt) const;
  std::string text_of_nothing() const;
  std::string text_of(const TextGenerator& generator, const std::string& prompt,
                      const std::vector<Continuation>& continuations) const;

  std::filesystem::path model_;
  std::optional<std::string> prompt_;  // none: the lines of standard input
  GenerationOptions options_;
  Sampling sampling_;
  bool greedy_ = false;
  bool json_ = false;
  bool forced_ = false;  // to read what does not look like text
  int threads_ = 0;      // 0: as many as there are cores
  bool int8_ = false;
};

}  // namespace heed
