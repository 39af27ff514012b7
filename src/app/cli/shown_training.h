// A training run as a person sees it.
#pragma once

#include "heed/app/cli/console.h"
#include "heed/runs/training_run.h"

namespace heed {

// Trains until the budget is spent or the user interrupts it, and returns how the run ended.
TrainingEnd show_training(const TrainingSettings& settings, const Console& console,
                          Communicator& ranks = alone());

// The same at the other ranks, where nobody watches.
TrainingEnd join_training(const TrainingSettings& settings, Communicator& ranks);

}  // namespace heed
