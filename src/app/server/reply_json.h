// JSON of replies, and small things that the APIs do to texts.
#pragma once

#include <string>
#include <vector>

#include "heed/base/json.h"
#include "heed/server/http_message.h"

namespace heed {

HttpReply json_reply(const OrderedJsonValue& json, int status = 200);

// The texts in one, each with a line end.
std::string joined(const std::vector<std::string>& texts);

// CR LF and CR become LF, as LibreTranslate does with forms.
std::string with_line_feeds(const std::string& text);

}  // namespace heed
