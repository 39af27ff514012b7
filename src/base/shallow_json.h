// JSON from an untrusted file.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/json.h"

namespace heed {

// Model descriptions are flat lists of settings. Deep nesting could exhaust the stack of the
// functions that compare, copy and print JSON.
inline constexpr int deepest_json = 16;

// Discarded if the text is not JSON. An Error if it nests too deeply. For both types of json.h.
template <typename Json = JsonValue>
Json parse_shallow_json(std::string_view text, const std::string& file);

}  // namespace heed
