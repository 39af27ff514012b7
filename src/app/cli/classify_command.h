// `heed classify`: texts to labels.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/data/labelled_reader.h"
#include "heed/decoding/classifier_ensemble.h"

namespace heed {

class ClassifyCommand {
 public:
  // Adds the command to the program.
  explicit ClassifyCommand(CLI::App& program);

  // Classifies the lines of standard input, or measures with labelled texts. An Error if something
  // is wrong with the texts or the model.
  void run(const Console& console) const;

 private:
  void classify(const ClassifierEnsemble& models, Workers& workers, const Console& console) const;
  void measure(const ClassifierEnsemble& models, Workers& workers, const Console& console) const;

  std::vector<std::filesystem::path> models_;
  std::string labelled_;
  bool json_ = false, words_ = false, int8_ = false, forced_ = false;
  int top_ = 0;      // 0: the label, with --json all of them
  int threads_ = 0;  // 0 for all cores
};

}  // namespace heed
