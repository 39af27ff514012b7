#include "heed/server/assets.h"

#include <algorithm>
#include <array>
#include <string>

#include "heed/server/refusal.h"

namespace heed {

namespace {

constexpr std::string_view start_page = R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>heed</title>
<h1>heed</h1>
<p>This server translates. Programs ask it here:
<ul>
<li><code>POST /translate</code>, <code>POST /detect</code>, <code>GET /languages</code>
(LibreTranslate's API)
<li><code>POST /v2/translate</code>, <code>GET /v2/languages</code>, <code>GET /v2/usage</code>
(DeepL's API)
<li><code>POST /v1/translate</code>, <code>POST /v1/attention</code>, <code>GET /v1/models</code>
<li><a href="/v1/openapi.json">/v1/openapi.json</a> describes all of them
<li><a href="/health">/health</a>, <a href="/metrics">/metrics</a>
</ul>
</html>
)";

constexpr std::array table = {
    Asset{"/", "text/html; charset=utf-8", start_page, "start-1"},
};

constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

}  // namespace

std::span<const Asset> assets() { return table; }

const Asset* find_asset(std::string_view path) {
  const auto found = std::ranges::find(table, path, &Asset::path);
  return found == table.end() ? nullptr : &*found;
}

HttpReply asset_reply(const Asset& asset, const HttpRequest& request) {
  if (request.method != "GET" && request.method != "HEAD") throw Refusal(405, "Method Not Allowed");
  const std::string tag = '"' + std::string(asset.hash) + '"';
  const bool never_changes = asset.path.find(asset.hash) != std::string_view::npos;
  HttpReply reply{.type = std::string(asset.type)};
  reply.headers = {
      {"ETag", tag},
      {"Cache-Control", never_changes ? "public, max-age=31536000, immutable" : "no-cache"},
      {"Content-Security-Policy", std::string(content_policy)},
      {"Referrer-Policy", "no-referrer"}};
  if (request.header("if-none-match").find(tag) != std::string_view::npos)
    reply.status = 304;
  else
    reply.body = asset.bytes;
  return reply;
}

}  // namespace heed
