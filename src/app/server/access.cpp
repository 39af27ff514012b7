#include "heed/server/access.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "heed/server/http_text.h"

namespace heed {

namespace {

// From "DeepL-Auth-Key K" or "Bearer K", or from where the APIs' clients put it.
std::optional<std::string> key_in(const HttpRequest& request, const Parameters& parameters) {
  const std::string_view header = trimmed(request.header("authorization"));
  const size_t space = header.find(' ');
  if (space != header.npos) {
    const std::string scheme = lower_case(header.substr(0, space));
    if (scheme == "bearer" || scheme == "deepl-auth-key")
      return std::string(trimmed(header.substr(space)));
  }
  for (const char* name : {"api_key", "apiKey", "auth_key"})
    if (std::optional<std::string> key = parameters.text(name)) return key;
  return std::nullopt;
}

// Those who have a network of IPv6 addresses are one client. Proxies may add brackets and a port.
std::string network_of(const std::string& address) {
  std::string plain = address;
  if (plain.starts_with('[')) plain = plain.substr(1, plain.find(']') - 1);
  in6_addr parsed = {};
  if (::inet_pton(AF_INET6, plain.c_str(), &parsed) != 1) return address;
  std::array<char, INET6_ADDRSTRLEN> text;
  constexpr size_t network_bytes = 8, before_v4 = 12;
  if (IN6_IS_ADDR_V4MAPPED(&parsed)) {
    ::inet_ntop(AF_INET, std::begin(parsed.s6_addr) + before_v4, text.data(), text.size());
  } else {
    std::fill(std::begin(parsed.s6_addr) + network_bytes, std::end(parsed.s6_addr), uint8_t{0});
    ::inet_ntop(AF_INET6, &parsed, text.data(), text.size());
  }
  return text.data();
}

[[noreturn]] void refuse_without_key(ApiShape shape) {
  if (shape == ApiShape::libretranslate)
    throw Refusal(400, "Please contact the server operator to get an API key");
  throw Refusal(403, "Authorization failed. Please supply a valid API key.");
}

[[noreturn]] void refuse_wrong_key(ApiShape shape) {
  if (shape == ApiShape::libretranslate) throw Refusal(403, "Invalid API key");
  throw Refusal(403, "Authorization failed. Please supply a valid API key.");
}

[[noreturn]] void refuse_haste(ApiShape shape, int64_t rate, int seconds) {
  if (shape == ApiShape::libretranslate)
    throw Refusal(429, fmt::format("Slowdown: {} per 1 minute", rate), seconds);
  throw Refusal(429, "Too many requests", seconds);
}

}  // namespace

Access::Access(AccessSettings settings) : settings_(std::move(settings)) { reload(); }

void Access::reload() {
  if (!has_keys()) return;
  auto keys = std::make_shared<const ApiKeys>(ApiKeys::read(settings_.key_file));
  const std::lock_guard lock(mutex_);
  keys_ = std::move(keys);
}

std::string Access::address_of(const HttpRequest& request) const {
  if (!settings_.trusts_proxy) return request.address;
  const std::string_view forwarded = request.header("x-forwarded-for");
  const size_t comma = forwarded.rfind(',');
  const std::string_view last =
      trimmed(comma == forwarded.npos ? forwarded : forwarded.substr(comma + 1));
  return last.empty() || last.size() > 64 ? request.address : std::string(last);
}

Client Access::admit(const HttpRequest& request, const Parameters& parameters, ApiShape shape) {
  Client client{
      .id = "address " + network_of(address_of(request)), .name = {}, .allowed = settings_.allowed};
  if (has_keys()) {
    const std::optional<std::string> text = key_in(request, parameters);
    if (!text) refuse_without_key(shape);
    std::shared_ptr<const ApiKeys> keys;
    {
      const std::lock_guard lock(mutex_);
      keys = keys_;
    }
    const ApiKey* key = keys->find(*text);
    if (key == nullptr) refuse_wrong_key(shape);
    client.id = "key " + key->name;
    client.name = key->name;
    if (key->rate) client.allowed.rate = key->rate;
    if (key->quota) client.allowed.quota = key->quota;
  }
  if (const auto wait = usage_.ask(client.id, client.allowed))
    refuse_haste(shape, *client.allowed.rate, static_cast<int>(wait->count()));
  return client;
}

void Access::use(const Client& client, int64_t characters, ApiShape shape) {
  if (usage_.use(client.id, client.allowed, characters)) return;
  if (shape != ApiShape::libretranslate) throw Refusal(456, "Quota Exceeded");
  throw Refusal(429, "Quota Exceeded", static_cast<int>(usage_.until_next_month().count()));
}

}  // namespace heed
