// What those who run a server ask it.
#include "heed/base/json.h"
#include "heed/server/apis.h"
#include "heed/server/reply_json.h"
#include "heed/server/service.h"

namespace heed {

namespace {

using Json = OrderedJsonValue;

constexpr const char* metrics_type = "text/plain; version=0.0.4; charset=utf-8";

void say_alive(const Call& call) {
  call.exchange->reply(json_reply(json_object<Json>({{"status", "ok"}})));
}

void say_health(const Call& call) {
  if (call.service.is_ready()) return say_alive(call);
  const char* status = call.service.is_ending() ? "ending" : "loading";
  HttpReply reply = json_reply(json_object<Json>({{"status", status}}), 503);
  reply.headers.emplace_back("Retry-After", "1");
  call.exchange->reply(std::move(reply));
}

void say_metrics(const Call& call) {
  call.exchange->reply({.body = call.service.metrics_text(), .type = metrics_type});
}

void say_routes(const Call& call) { call.exchange->reply({.body = call.service.openapi()}); }

}  // namespace

std::vector<Route> operation_routes() {
  return {
      {"GET",
       "/health",
       ApiShape::heed,
       false,
       "Whether the server is ready: models are loaded",
       {},
       say_health},
      {"GET", "/live", ApiShape::heed, false, "Whether the server runs", {}, say_alive},
      {"GET",
       "/metrics",
       ApiShape::heed,
       false,
       "Counts and times, for Prometheus",
       {},
       say_metrics},
      {"GET", "/spec", ApiShape::heed, false, "This document", {}, say_routes},
      {"GET", "/v1/openapi.json", ApiShape::heed, false, "This document", {}, say_routes},
  };
}

}  // namespace heed
