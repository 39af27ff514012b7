// The files of the page, which are a part of the program.
#pragma once

#include <span>
#include <string_view>

#include "heed/server/http_message.h"

namespace heed {

struct Asset {
  std::string_view path;  // "/" or "/assets/page.js"
  std::string_view type;
  std::string_view bytes;
  std::string_view hash;  // of the bytes, for caches
};

// cmake/page_assets.cmake makes the table.
std::span<const Asset> page_assets();
// Null if there is none.
const Asset* find_asset(std::string_view path);

// The file, or 304 if the client has it already. Files whose names have their hash in them never
// change; others are asked for again.
HttpReply asset_reply(const Asset& asset, const HttpRequest& request);

}  // namespace heed
