// --adapter FILE: a model as an adapter has changed it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed {

CLI::Option* add_adapter_flag(CLI::App& command, std::string& file);

}  // namespace heed
