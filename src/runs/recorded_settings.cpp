#include "heed/runs/recorded_settings.h"

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/json.h"
#include "heed/base/text.h"

namespace heed {

std::vector<std::string> changed_settings(const RecordedSettings& before,
                                          const RecordedSettings& now) {
  RecordedSettings names = before;
  names.insert(now.begin(), now.end());
  const auto value_in = [](const RecordedSettings& settings, const std::string& name) {
    const auto found = settings.find(name);
    const bool is_set = found != settings.end() && !found->second.empty();
    return is_set ? found->second : std::string("not set");
  };
  std::vector<std::string> changed;
  for (const auto& [name, value] : names)
    if (value_in(before, name) != value_in(now, name))
      changed.push_back(printable(
          fmt::format("{} ({}, now {})", name, value_in(before, name), value_in(now, name))));
  return changed;
}

RecordedSettings load_settings(const std::filesystem::path& path) {
  const auto json = JsonValue::parse(MappedFile(path).text(), nullptr, false);
  require(json.is_object(), "{}: not a JSON object", path.string());
  RecordedSettings settings;
  for (const auto& [name, value] : json.items()) {
    require(value.is_string(), "{}: the setting {} is not a string", path.string(), Quoted{name});
    settings[name] = value.get<std::string>();
  }
  return settings;
}

void save_settings(const std::filesystem::path& path, const RecordedSettings& settings) {
  // File names need not be UTF-8, but JSON must be.
  const auto replace = JsonValue::error_handler_t::replace;
  write_file_atomically(path, JsonValue(settings).dump(2, ' ', false, replace) + "\n");
}

}  // namespace heed
