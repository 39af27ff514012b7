// JSON from an untrusted file.
#pragma once

#include <string>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/json.h"

namespace heed {

// Model descriptions are flat lists of settings. Deep nesting could exhaust the stack of the
// functions that compare, copy and print JSON.
inline constexpr int deepest_json = 16;

// Discarded if the text is not JSON. An Error if it nests too deeply.
template <typename Json = JsonValue>
Json parse_shallow_json(std::string_view text, const std::string& file) {
  // The parser treats a zero byte as the end and would ignore what follows it.
  if (text.find('\0') != text.npos) return Json(Json::value_t::discarded);
  const auto check_depth = [&](int depth, typename Json::parse_event_t, const Json&) {
    require(depth <= deepest_json, "{}: nests deeper than {} levels", file, deepest_json);
    return true;
  };
  return Json::parse(text, check_depth, false);
}

}  // namespace heed
