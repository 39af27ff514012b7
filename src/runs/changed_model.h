// Settings of a model that change while it is being trained.
#pragma once

#include <filesystem>
#include <string>

#include "heed/models/model.h"

namespace heed {

// An Error if the weights of the run in the folder, which are those of `before`, do not fit `now`.
void require_same_shapes(const std::filesystem::path& folder, ParameterModel& before,
                         ParameterModel& now);

// Lets the weights know the settings, and writes config.json if they differ from what it says.
void replace_config(const std::filesystem::path& folder, const std::string& text, bool differ);

}  // namespace heed
