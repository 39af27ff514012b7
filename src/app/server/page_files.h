// The page at "/": its files are a part of the program, or come from a folder for those who work on
// them.
#pragma once

#include <filesystem>
#include <optional>

#include "heed/server/http_message.h"

namespace heed {

struct PageSettings {
  bool is_served = true;
  std::filesystem::path folder = {};  // web/ of the sources; none: what is in the program
};

// The reply to a request for a file of the page; none if it is for something else, or there is no
// page. Files of a folder are read again for each request.
std::optional<HttpReply> page_reply(const PageSettings& settings, const HttpRequest& request);

}  // namespace heed
