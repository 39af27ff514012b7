#include "heed/server/assets.h"

#include <algorithm>
#include <string>

#include "heed/server/refusal.h"

namespace heed {

namespace {

constexpr std::string_view content_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

}  // namespace

const Asset* find_asset(std::string_view path) {
  const std::span<const Asset> all = page_assets();
  const auto found = std::ranges::find(all, path, &Asset::path);
  return found == all.end() ? nullptr : &*found;
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
