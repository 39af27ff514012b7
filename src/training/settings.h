// The settings that a run was started with. Continuing with others would change the result, so a
// changed setting is refused, or accepted on purpose.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace heed {

using Settings = std::map<std::string, std::string>;  // from name to value

// The names of settings that differ, with both values: "width (128, now 256)".
std::vector<std::string> changed_settings(const Settings& before, const Settings& now);

Settings load_settings(const std::filesystem::path& path);  // an Error if it is damaged
// Bytes that are not UTF-8 become U+FFFD.
void save_settings(const std::filesystem::path& path, const Settings& settings);

}  // namespace heed
