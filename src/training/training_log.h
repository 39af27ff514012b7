// training.jsonl: what happened during a run, one JSON object per line. Written and read here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/training/learner.h"
#include "heed/training/progress.h"
#include "heed/training/validation.h"

namespace heed {

std::string log_line(const StepReport& report, const Progress& progress);
std::string log_line(const Validation& validation, const Progress& progress);

// Returns the new size of the log in bytes.
int64_t append_to_log(const std::filesystem::path& folder, const std::string& line);

// Truncates the log to this many bytes: the rest is about steps that will be repeated.
void cut_log(const std::filesystem::path& folder, int64_t bytes);

struct LoggedStep {
  int64_t step = 0;
  double loss = 0;
  double cross_entropy = 0;
  double learning_rate = 0;
};

struct LoggedValidation {
  int64_t step = 0;
  double seconds = 0;
  double training_cross_entropy = 0;
  double cross_entropy = 0;
  double perplexity = 0;
  std::optional<double> bleu = {}, chrf = {}, accuracy = {}, f1 = {};
  bool best = false;
  std::optional<double> general_cross_entropy = {}, general_bleu = {};  // of general text
};

struct TrainingHistory {
  std::vector<LoggedStep> steps;
  std::vector<LoggedValidation> validations;
};

// Lines that cannot be parsed, e.g. a truncated one, are left out. Empty if there is no log.
TrainingHistory read_history(const std::filesystem::path& folder);

}  // namespace heed
