// Settings that were given by name, put into the struct that has them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/base/fields.h"

namespace heed {

// Applies the given settings that the configuration has. What is left does not belong to `what`,
// and is an Error.
template <typename Config>
void apply_settings(std::map<std::string, std::string> given, Config& config,
                    std::string_view what) {
  visit_fields(config, [&](const auto& field, auto& value) {
    const auto found = given.find(field.name);
    if (found == given.end()) return;
    set_field(field.name, found->second, value);
    given.erase(found);
  });
  require(given.empty(), "--{} is not a setting of {}", given.empty() ? "" : given.begin()->first,
          what);
}

}  // namespace heed
