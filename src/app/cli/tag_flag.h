// --tag TAG: what a translator reads in front of each source.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed {

CLI::Option* add_tag_flag(CLI::App& command, std::string& tag);

}  // namespace heed
