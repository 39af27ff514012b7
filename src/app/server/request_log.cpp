#include "heed/server/request_log.h"

#include <fmt/chrono.h>

#include <cmath>

#include "heed/base/json.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

std::string time_text(std::chrono::system_clock::time_point now) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(now)), milliseconds);
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string log_line_of(const ServedRequest& served, const std::string& address,
                        std::chrono::system_clock::time_point now) {
  const RequestNotes& notes = served.notes;
  Json line = json_object<Json>(
      {{"time", time_text(now)},
       {"event", "request"},
       {"method", served.request.method},
       {"route", notes.route},
       {"status", served.status},
       {"seconds", std::round(std::chrono::duration<double>(served.time).count() * 1e6) / 1e6},
       {"bytes-in", served.request.body.size()},
       {"bytes-out", served.bytes},
       {"address", address}});
  if (!notes.key.empty()) line["key"] = notes.key;
  if (!notes.languages.empty()) line["languages"] = notes.languages;
  if (notes.characters > 0) line["characters"] = notes.characters;
  if (notes.sentences > 0) line["sentences"] = notes.sentences;
  if (!notes.texts.empty()) line["texts"] = notes.texts;
  return line_of(line);
}

std::string log_line_of(const std::string& event, const std::string& sentence,
                        std::chrono::system_clock::time_point now) {
  return line_of(
      json_object<Json>({{"time", time_text(now)}, {"event", event}, {"message", sentence}}));
}

}  // namespace heed
