#include "heed/server/route.h"

#include <optional>

namespace heed {

namespace {

// What stands in the places of {…}, or nothing if the path is another one.
std::optional<std::vector<std::string>> match(std::string_view pattern, std::string_view path) {
  std::vector<std::string> captured;
  while (!pattern.empty() || !path.empty()) {
    if (!pattern.starts_with('/') || !path.starts_with('/')) return std::nullopt;
    pattern.remove_prefix(1);
    path.remove_prefix(1);
    const std::string_view wanted = pattern.substr(0, pattern.find('/')),
                           found = path.substr(0, path.find('/'));
    if (wanted.starts_with('{')) {
      if (found.empty()) return std::nullopt;
      captured.emplace_back(found);
    } else if (wanted != found) {
      return std::nullopt;
    }
    pattern.remove_prefix(wanted.size());
    path.remove_prefix(found.size());
  }
  return captured;
}

}  // namespace

RouteTable::Found RouteTable::find(std::string_view method, std::string_view path) const {
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  Found found;
  for (const Route& route : routes_) {
    std::optional<std::vector<std::string>> captured = match(route.path, path);
    if (!captured) continue;
    found.methods.push_back(route.method);
    if (route.method != wanted) continue;
    found.route = &route;
    found.captured = *std::move(captured);
  }
  return found;
}

}  // namespace heed
