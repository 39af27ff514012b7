#include "heed/base/shallow_json.h"

#include "heed/base/error.h"

namespace heed {

template <typename Json>
Json parse_shallow_json(std::string_view text, const std::string& file) {
  // The parser treats a zero byte as the end and would ignore what follows it.
  if (text.find('\0') != text.npos) return Json(Json::value_t::discarded);
  const auto check_depth = [&](int depth, typename Json::parse_event_t, const Json&) {
    require(depth <= deepest_json, "{}: nests deeper than {} levels", file, deepest_json);
    return true;
  };
  return Json::parse(text, check_depth, false);
}

template JsonValue parse_shallow_json(std::string_view, const std::string&);
template OrderedJsonValue parse_shallow_json(std::string_view, const std::string&);

}  // namespace heed
