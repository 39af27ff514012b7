// --mix FILES SHARE: other text that joins the training text.
#pragma once

#include <string>
#include <vector>

#include "heed/runs/training_settings.h"

namespace heed {

struct MixedText {
  std::vector<std::string> files = {};  // none if nothing is mixed in
  double share = 0;                     // of the examples, between 0 and 1
};

// An Error if the last of the words is not a share, or if there is no file before it.
MixedText mixed_text(const TrainingSettings& settings);

// Everything that is learned from, links, weights and tags included, and everything that is
// validated with.
std::vector<std::string> training_texts(const TrainingSettings& settings);
std::vector<std::string> validation_texts(const TrainingSettings& settings);

}  // namespace heed
