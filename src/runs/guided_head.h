// --guide LINKS: one head of a translator learns which words translate each other.
#pragma once

#include "heed/models/guidable_model.h"
#include "heed/models/model_config.h"
#include "heed/models/search_defaults.h"
#include "heed/runs/training_settings.h"

namespace heed {

// An Error for settings that do not go together with it.
void check_guide(const TrainingSettings& settings);

// The head that learns: the one that aligns words in the pretrained model, if that says so, or else
// the first of the last layer, as Marian has it. An Error if the model is no Transformer.
HeadGuide guide_of(const TrainingSettings& settings, const ModelConfig& model,
                   const SearchDefaults& search = {});

}  // namespace heed
