// --adapter FILE: a model as an adapter has changed it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "heed/folders/model_folder.h"

namespace heed {

CLI::Option* add_adapter_flag(CLI::App& command, std::string& file);

// The model as it is if no file is named.
ModelFolder adapted(ModelFolder model, const std::string& file);
ModelFolder load_adapted(const std::string& folder, const std::string& file);

}  // namespace heed
