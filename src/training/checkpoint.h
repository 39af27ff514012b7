// The complete state of a run in one file, which is complete or does not exist.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/training/learner.h"
#include "heed/training/progress.h"

namespace heed {

struct Checkpoint {
  LearnerState learner;
  Progress progress;
};

void save_checkpoint(const std::filesystem::path& file, const LearnerState& learner,
                     const Progress& progress);

// Nothing if there is no such file; an Error if it is damaged.
std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path);

}  // namespace heed
