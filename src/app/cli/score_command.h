// `heed score`: the log-probabilities of given translations, or of texts.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/app/cli/console.h"
#include "heed/decoding/scoring.h"

namespace heed {

class ScoreCommand {
 public:
  // Adds the command to the program.
  explicit ScoreCommand(CLI::App& program);

  // Writes a line for each pair, and the totals to standard error. An Error if something is wrong
  // with a file or the model.
  void run(const Console& console) const;

 private:
  void score_pairs(const Console& console) const;
  void score_texts(const Console& console) const;
  void score_document(const Console& console) const;

  std::string model_, adapter_, tag_, source_, target_, text_ = "-";
  bool document_ = false, words_ = false, json_ = false, forced_ = false;
  int64_t max_length_ = ScoringOptions().max_length;
  int threads_ = 0;  // 0 for all cores
};

}  // namespace heed
