// Who asks, and how much they may.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "heed/server/api_keys.h"
#include "heed/server/http_message.h"
#include "heed/server/parameters.h"
#include "heed/server/refusal.h"
#include "heed/server/usage_limits.h"

namespace heed {

struct AccessSettings {
  std::filesystem::path key_file = {};  // without it, nobody needs a key
  // Of each key whose line in the file has no limit of its own, or of each address.
  AllowedUse allowed = {};
  bool trusts_proxy = false;  // the address is the last one of X-Forwarded-For
};

struct Client {
  std::string id;    // what is counted by
  std::string name;  // of the key
  AllowedUse allowed = {};
};

class Access {
 public:
  // Reads the keys. An Error says what is wrong with the file.
  explicit Access(AccessSettings settings);

  bool has_keys() const { return !settings_.key_file.empty(); }
  // Reads the file of keys again. An Error leaves everything as it is.
  void reload();

  // The address of who sent the request, as it is known.
  std::string address_of(const HttpRequest& request) const;

  // Who asks, by the key in the header or among the parameters. A Refusal (403, for LibreTranslate
  // 400) if it is missing or wrong, or (429) if the client asks too often.
  Client admit(const HttpRequest& request, const Parameters& parameters, ApiShape shape);

  // A Refusal (456; for LibreTranslate 429) if that is more than the client has left.
  void use(const Client& client, int64_t characters, ApiShape shape);
  int64_t used(const Client& client) const { return usage_.used(client.id); }

 private:
  AccessSettings settings_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ApiKeys> keys_;
  UsageLimits usage_;
};

}  // namespace heed
