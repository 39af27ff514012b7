#include "heed/server/http_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "heed/base/text.h"

namespace heed {

namespace {

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string_view reason_of(int status) {
  static constexpr auto reasons =
      std::to_array<std::pair<int, std::string_view>>({{200, "OK"},
                                                       {204, "No Content"},
                                                       {304, "Not Modified"},
                                                       {400, "Bad Request"},
                                                       {401, "Unauthorized"},
                                                       {403, "Forbidden"},
                                                       {404, "Not Found"},
                                                       {405, "Method Not Allowed"},
                                                       {408, "Request Timeout"},
                                                       {413, "Content Too Large"},
                                                       {415, "Unsupported Media Type"},
                                                       {417, "Expectation Failed"},
                                                       {429, "Too Many Requests"},
                                                       {431, "Request Header Fields Too Large"},
                                                       {456, "Quota Exceeded"},
                                                       {500, "Internal Server Error"},
                                                       {501, "Not Implemented"},
                                                       {503, "Service Unavailable"},
                                                       {505, "HTTP Version Not Supported"}});
  const auto found = std::ranges::find(reasons, status, &std::pair<int, std::string_view>::first);
  return found == reasons.end() ? "Unknown" : found->second;
}

std::string http_date(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      decoded += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return decoded;
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c))
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

std::optional<HttpTarget> split_target(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!lower_case(target.substr(0, scheme.size())).starts_with(scheme)) continue;
    const size_t path = target.find('/', scheme.size());
    target = path == target.npos ? std::string_view("/") : target.substr(path);
  }
  if (!target.starts_with('/')) return std::nullopt;
  target = target.substr(0, target.find('#'));
  const size_t mark = target.find('?');
  std::optional<std::string> path = percent_decoded(target.substr(0, mark), false);
  if (!path || !is_utf8(*path) || path->find('\0') != path->npos) return std::nullopt;
  return HttpTarget{*std::move(path),
                    mark == target.npos ? "" : std::string(target.substr(mark + 1))};
}

}  // namespace heed
