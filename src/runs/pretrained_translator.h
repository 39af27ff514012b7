// A trained translator that training starts from: its weights, its vocabularies and its
// architecture are kept, whichever tool it comes from.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "heed/folders/model_folder.h"
#include "heed/runs/training_settings.h"
#include "heed/training/adapted_model.h"

namespace heed {

// What `settings.pretrained` names, in float32. An Error if it is no translator, or if a setting
// contradicts its architecture.
ModelFolder read_pretrained(const TrainingSettings& settings);

// The settings of the model that is trained. Only dropout may differ from the pretrained one's; a
// model that came without gets that of the presets.
ModelConfig adapted_config(const ModelConfig& pretrained, const TrainingSettings& settings);

// For little text: the weights know much already, so they are changed little.
LearnerConfig adapting_learner(const TrainingSettings& settings);

AdapterConfig adapter_config(const TrainingSettings& settings);

// A run keeps a copy of its start, so that it can go on when the original is gone.
std::filesystem::path pretrained_copy(const TrainingSettings& settings);

// Writes the copy and the description of the model to be trained, with tags besides its own,
// config.json last.
void describe_adapted(const TrainingSettings& settings, const std::set<std::string>& tags);

// A model with the weights of the copy.
std::unique_ptr<Model> adapted_model(const TrainingSettings& settings, const ModelConfig& config);

// Whether it can be read, or must be.
bool needs_pretrained(const TrainingSettings& settings);

// Whether what `settings.pretrained` names is still there, and is not what was copied.
bool differs_from_copy(const TrainingSettings& settings);

// An Error for flags that a pretrained translator leaves no choice of.
void refuse_flags_of_new_models(const TrainingSettings& settings);

}  // namespace heed
