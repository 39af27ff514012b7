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

// With the state of a learner on these ranks. Rank 0 writes the file, which is the same for any
// number of ranks; the others send it their parts, one after the other.
void save_checkpoint(const std::filesystem::path& file, const LearnerState& learner,
                     const Progress& progress, Communicator& ranks = alone());

// Nothing if there is no such file; an Error if it is damaged, or holds what nothing can be learnt
// from.
std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path);

// Weights that are kept to be averaged with later ones.
void save_snapshot(const std::filesystem::path& file, const Tensor& weights);
Tensor load_snapshot(const std::filesystem::path& path);  // an Error if it is damaged

}  // namespace heed
