// The curves of a training run.
#pragma once

#include <string>

#include "heed/training/training_log.h"

namespace heed {

// Loss, perplexity, BLEU and learning rate as a picture, in SVG.
std::string draw_history(const TrainingHistory& history, const std::string& title);

}  // namespace heed
