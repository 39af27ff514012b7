// The small texts of HTTP: targets, percent signs, reasons, dates.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

std::string lower_case(std::string_view text);    // of ASCII
std::string_view trimmed(std::string_view text);  // without spaces and tabs at its ends
std::string_view reason_of(int status);           // "Not Found"
// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::chrono::system_clock::time_point time);

struct HttpTarget {
  std::string path;   // decoded
  std::string query;  // as it was sent
};
// "/a%20b?c=d", or the same after "http://host". Nothing if it is no path, or not UTF-8 when
// decoded, or has a zero byte.
std::optional<HttpTarget> split_target(std::string_view target);

// Nothing if a percent sign is not followed by two digits.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);
std::string percent_encoded(std::string_view text);

}  // namespace heed
