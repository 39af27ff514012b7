// `heed train`, once its flags are understood.
#pragma once

#include "heed/app/cli/console.h"
#include "heed/app/cli/train_options.h"

namespace heed {

// Trains until the budget is spent, and returns how the run ended.
TrainingEnd run_training(const TrainOptions& options, const Console& console);

}  // namespace heed
