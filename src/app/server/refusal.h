// A request that is not done, and why: what the client reads.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "heed/server/http_message.h"

namespace heed {

class Refusal : public std::runtime_error {
 public:
  Refusal(int status, const std::string& sentence, std::optional<int> retry_after = {})
      : std::runtime_error(sentence), status_(status), retry_after_(retry_after) {}

  int status() const { return status_; }
  std::optional<int> retry_after() const { return retry_after_; }  // in seconds

 private:
  int status_;
  std::optional<int> retry_after_;
};

// The APIs write errors differently: {"error": …} or {"message": …}. Where no API was reached,
// both.
enum class ApiShape { heed, libretranslate, deepl, none };

HttpReply refusal_reply(const Refusal& refusal, ApiShape shape);
// For any exception: a heed::Error about what was asked is the client's mistake, others are ours.
Refusal refusal_of(std::exception_ptr error);

}  // namespace heed
