// `heed evaluate`: its flags and what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/metrics/bootstrap.h"
#include "heed/metrics/make_metric.h"

namespace heed {

class EvaluateCommand {
 public:
  // Adds the command to the program.
  explicit EvaluateCommand(CLI::App& program);

  // Compares translations with references, or links with gold ones. An Error if something is wrong
  // with a file.
  void run(const Console& console) const;

 private:
  void check_usage() const;

  std::vector<std::string> hypotheses_;
  std::vector<std::string> references_;
  std::string links_, gold_;
  int64_t first_word_ = 0;
  std::vector<MetricKind> metrics_ = {MetricKind::bleu, MetricKind::chrf};
  MetricOptions options_;
  BootstrapOptions bootstrap_;
  size_t bootstrap_flags_ = 0;  // that were given
  bool sentences_ = false;
  bool json_ = false;
  bool forced_ = false;
};

}  // namespace heed
