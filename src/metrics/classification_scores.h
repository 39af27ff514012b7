// How well texts were classified that have one label each, or any number of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heed/metrics/confusion_matrix.h"

namespace heed {

struct ClassificationScores {
  int64_t texts = 0;
  double accuracy = 0;  // the share of texts that were given exactly their labels
  double macro_f1 = 0;  // the mean over the labels that a text has or was given
  double micro_f1 = 0;  // of all decisions together
  std::vector<LabelCounts> labels;
  std::optional<ConfusionMatrix> confusion;  // where every text has one label and was given one
};

// The labels of each text and those that it was given, each a number below `labels`.
ClassificationScores score_classification(std::span<const std::vector<int32_t>> expected,
                                          std::span<const std::vector<int32_t>> given,
                                          int64_t labels);

}  // namespace heed
