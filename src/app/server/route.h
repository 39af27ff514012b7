// The table of what a server answers. Requests are routed by it, and the OpenAPI document is made
// of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/server/access.h"
#include "heed/server/http_message.h"
#include "heed/server/parameters.h"
#include "heed/server/refusal.h"

namespace heed {

class Service;
struct Route;

// A request that has reached its route.
struct Call {
  Service& service;
  const Route& route;
  std::shared_ptr<Exchange> exchange;
  std::shared_ptr<const Parameters> parameters;
  Client client;                           // who asks
  std::vector<std::string> captured = {};  // what stands in the places of {…} in the path

  const HttpRequest& request() const { return exchange->request(); }
};

// One parameter, as the OpenAPI document describes it.
struct RouteField {
  enum class Type { text, texts, whole_number, number, truth, file };

  std::string name;
  Type type;
  std::string what;
  bool is_required = false;
};

struct Route {
  std::string method;
  std::string path;  // "/v1/models/{name}/curves"
  ApiShape shape;
  bool needs_key;  // where keys are used at all
  std::string summary;
  std::vector<RouteField> fields;
  std::function<void(const Call&)> run;  // replies, or throws a Refusal or an Error
};

class RouteTable {
 public:
  explicit RouteTable(std::vector<Route> routes) : routes_(std::move(routes)) {}

  const std::vector<Route>& routes() const { return routes_; }

  // Null if there is none; HEAD is GET.
  struct Found {
    const Route* route = nullptr;
    std::vector<std::string> captured;
    std::vector<std::string> methods;  // of the path, if it is known
  };
  Found find(std::string_view method, std::string_view path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace heed
