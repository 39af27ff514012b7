#include "heed/server/reply_json.h"

namespace heed {

HttpReply json_reply(const OrderedJsonValue& json, int status) {
  return {status, json.dump(-1, ' ', false, OrderedJsonValue::error_handler_t::replace)};
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

std::string with_line_feeds(const std::string& text) {
  std::string changed;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r')
      changed += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n')
      changed += '\n';
  }
  return changed;
}

}  // namespace heed
