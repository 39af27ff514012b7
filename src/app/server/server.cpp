#include "heed/server/server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "heed/base/text.h"
#include "heed/server/apis.h"
#include "heed/server/openapi.h"
#include "heed/server/request_log.h"
#include "heed/server/route.h"

namespace heed {

namespace {

RouteTable all_routes() {
  std::vector<Route> all;
  for (const auto& routes :
       {libretranslate_routes(), deepl_routes(), heed_routes(), operation_routes()})
    all.insert(all.end(), routes.begin(), routes.end());
  return RouteTable(std::move(all));
}

// DeepL's clients expect their own errors wherever they ask.
ApiShape shape_of_path(std::string_view path) {
  return path.starts_with("/v2/") || path.starts_with("/v3/") ? ApiShape::deepl : ApiShape::none;
}

HttpReply refusal_without_route(int status, const std::string& sentence) {
  const bool may_retry = status == 503;
  return refusal_reply(Refusal(status, sentence, may_retry ? std::optional(1) : std::nullopt),
                       ApiShape::none);
}

// Other APIs have fields that their clients send and nobody needs; of ours, a field that is not
// known is a mistake, which would otherwise go unnoticed.
void refuse_unknown_fields(const Route& route, const Parameters& parameters) {
  if (route.shape != ApiShape::heed || route.method != "POST") return;
  for (const std::string& name : parameters.names())
    if (std::ranges::find(route.fields, name, &RouteField::name) == route.fields.end())
      throw Refusal(400, fmt::format("Invalid request: {} is not a parameter of {}", quote(name),
                                     route.path));
}

}  // namespace

class Server::Parts {
 public:
  explicit Parts(ServerSettings settings)
      : settings_(std::move(settings)),
        service_(settings_.service),
        routes_(all_routes()),
        http_(completed(settings_.http),
              [this](std::shared_ptr<Exchange> exchange) { handle(std::move(exchange)); }) {}

  Service& service() { return service_; }
  HttpServer& http() { return http_; }

  void log(const std::string& event, const std::string& sentence) const {
    if (settings_.log)
      settings_.log(log_line_of(event, sentence, std::chrono::system_clock::now()));
  }

 private:
  HttpSettings completed(HttpSettings settings) {
    service_.set_surroundings({.openapi = openapi_document(routes_), .connections = [this] {
                                 return static_cast<int64_t>(http_.connections());
                               }});
    settings.refusal = refusal_without_route;
    settings.headers = [this](const HttpRequest& request) { return cors_headers(request); };
    settings.served = [this](const ServedRequest& served) { note(served); };
    return settings;
  }

  void note(const ServedRequest& served) {
    service_.metrics().add(served);
    if (settings_.log && settings_.logs_requests)
      settings_.log(log_line_of(served, service_.access().address_of(served.request),
                                std::chrono::system_clock::now()));
  }

  HttpHeaders cors_headers(const HttpRequest& request) const {
    if (settings_.origins.empty()) return {};
    const std::string_view origin = request.header("origin");
    const auto is_allowed = [&](const std::string& allowed) {
      return allowed == "*" || allowed == origin;
    };
    HttpHeaders headers = {{"Vary", "Origin"}};
    if (origin.empty() || !std::ranges::any_of(settings_.origins, is_allowed)) return headers;
    headers.emplace_back("Access-Control-Allow-Origin", origin);
    headers.emplace_back("Access-Control-Expose-Headers", "Heed-Reported, Retry-After");
    if (request.method == "OPTIONS") {
      headers.emplace_back("Access-Control-Allow-Methods", "GET, POST");
      headers.emplace_back("Access-Control-Allow-Headers", "Authorization, Content-Type");
      headers.emplace_back("Access-Control-Max-Age", "600");
    }
    return headers;
  }

  void handle(std::shared_ptr<Exchange> exchange) {
    const HttpRequest& request = exchange->request();
    ApiShape shape = shape_of_path(request.path);
    try {
      if (std::optional<HttpReply> reply = page_reply(settings_.page, request))
        return exchange->reply(*std::move(reply));
      const RouteTable::Found found = routes_.find(request.method, request.path);
      if (found.route == nullptr) return exchange->reply(no_route(found, request, shape));
      const Route& route = *found.route;
      shape = route.shape;
      exchange->notes().route = route.path;
      Call call{.service = service_,
                .route = route,
                .exchange = exchange,
                .parameters = std::make_shared<const Parameters>(request),
                .client = {},
                .captured = found.captured};
      if (route.needs_key) call.client = service_.access().admit(request, *call.parameters, shape);
      exchange->notes().key = call.client.name;
      refuse_unknown_fields(route, *call.parameters);
      route.run(call);
    } catch (...) {
      exchange->reply(refusal_reply(refusal_of(std::current_exception()), shape));
    }
  }

  static HttpReply no_route(const RouteTable::Found& found, const HttpRequest& request,
                            ApiShape shape) {
    if (found.methods.empty()) return refusal_reply(Refusal(404, "Not Found"), shape);
    const std::string allowed = fmt::format("{}, OPTIONS", fmt::join(found.methods, ", "));
    HttpReply reply{.status = 204};
    if (request.method != "OPTIONS")
      reply = refusal_reply(Refusal(405, "Method Not Allowed"), shape);
    reply.headers.emplace_back("Allow", allowed);
    return reply;
  }

  ServerSettings settings_;
  Service service_;
  RouteTable routes_;
  HttpServer http_;
};

Server::Server(ServerSettings settings) : parts_(std::make_unique<Parts>(std::move(settings))) {}
Server::~Server() = default;

std::string Server::address() const {
  const std::string& host = parts_->http().host();
  const bool is_v6 = host.find(':') != host.npos;
  return fmt::format("http://{}:{}", is_v6 ? "[" + host + "]" : host, port());
}

uint16_t Server::port() const { return parts_->http().port(); }

void Server::load_models() { parts_->service().load(); }

void Server::reload() {
  const auto attempt = [&](const char* what, const auto& run) {
    try {
      run();
      parts_->log("reload", fmt::format("the {} are up to date", what));
    } catch (const std::exception& error) {
      parts_->log("error", fmt::format("the {} stay as they are: {}", what, error.what()));
    }
  };
  attempt("keys", [&] { parts_->service().access().reload(); });
  attempt("models", [&] { parts_->service().load(); });
}

bool Server::models_have_changed() const { return parts_->service().folders_have_changed(); }

void Server::drain() {
  parts_->service().end();
  parts_->http().drain();
}

}  // namespace heed
