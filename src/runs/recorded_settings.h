// The settings that a run was started with. Continuing with others would change the result, so a
// changed setting is refused, or accepted on purpose.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heed/base/field_text.h"
#include "heed/base/fields.h"

namespace heed {

using RecordedSettings = std::map<std::string, std::string>;  // from name to value

// The settings of a struct that may not change freely: see Change in base/fields.h.
template <typename Struct>
RecordedSettings record_settings(const Struct& settings) {
  RecordedSettings recorded;
  visit_fields(settings, [&](const auto& field, const auto& value) {
    if (field.options.change != Change::free) recorded[field.name] = text_of_field(value);
  });
  return recorded;
}

// Of the recorded settings, those whose change has these consequences.
template <typename Struct>
RecordedSettings only(Change change, const RecordedSettings& recorded) {
  RecordedSettings kept;
  const Struct names;
  visit_fields(names, [&](const auto& field, const auto&) {
    const auto found = recorded.find(field.name);
    if (field.options.change == change && found != recorded.end()) kept.insert(*found);
  });
  return kept;
}

// The names of settings that differ, with both values: "width (128, now 256)".
std::vector<std::string> changed_settings(const RecordedSettings& before,
                                          const RecordedSettings& now);

RecordedSettings load_settings(const std::filesystem::path& path);  // an Error if it is damaged
// Bytes that are not UTF-8 become U+FFFD.
void save_settings(const std::filesystem::path& path, const RecordedSettings& settings);

}  // namespace heed
