// A line of JSON for each request.
#pragma once

#include <chrono>
#include <string>

#include "heed/server/http_message.h"

namespace heed {

// Without texts, unless the notes have them, and never with a key. The address is that of the
// client, who may be behind a proxy.
std::string log_line_of(const ServedRequest& served, const std::string& address,
                        std::chrono::system_clock::time_point now);
// Something that happened to the server.
std::string log_line_of(const std::string& event, const std::string& sentence,
                        std::chrono::system_clock::time_point now);

}  // namespace heed
