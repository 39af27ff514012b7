// The sentences whose attention a training run keeps at each validation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heed/runs/training_settings.h"

namespace heed {

// A target that was given stays the same at every step, so that steps can be compared word by word.
// Without one, it is what the model says at that step.
struct WatchedSentence {
  std::string source;
  std::optional<std::string> target = {};
  std::string where = {};  // it was given, for errors: "--watch" or "FILE: line 2"

  bool is_same_as(const WatchedSentence& other) const {
    return source == other.source && target == other.target;
  }
};

// Those of --watch, then those of --watch-file, each once. A tab divides a source from its target.
// Bytes that are not UTF-8 become U+FFFD. An Error if a sentence is empty, or a file has none or
// cannot be read.
std::vector<WatchedSentence> watched_sentences(const TrainingSettings& settings);

}  // namespace heed
