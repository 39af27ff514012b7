// Model sizes with matching training settings.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "heed/models/model_config.h"
#include "heed/runs/training_settings.h"

namespace heed {

inline constexpr std::array<std::string_view, 4> preset_names = {"tiny", "small", "base", "rnn"};

struct Preset {
  ModelConfig model;
  LearnerConfig learner;
};

Preset preset_of(std::string_view name);
// The size of Transformer that suits this many sentence pairs.
std::string_view preset_for(int64_t pairs);

// The preset that was asked for, or that suits this many pairs, with the given settings applied. An
// Error names a setting that is not a number where one was expected, or that the model does not
// have.
Preset chosen_preset(const TrainingSettings& settings, int64_t pairs);

// An Error for settings that cannot work with any corpus, before hours are spent on a large one.
void refuse_impossible_settings(const TrainingSettings& settings);

}  // namespace heed
