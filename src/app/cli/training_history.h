// Reads training.jsonl.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heed {

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
  std::optional<double> bleu, chrf;
  bool best = false;
};

struct TrainingHistory {
  std::vector<LoggedStep> steps;
  std::vector<LoggedValidation> validations;
};

// Lines that cannot be parsed, e.g. a truncated one, are left out. Empty if there is no log.
TrainingHistory read_history(const std::filesystem::path& folder);

// Loss, perplexity, BLEU and learning rate as a picture.
std::string draw_history(const TrainingHistory& history, const std::string& title);

}  // namespace heed
