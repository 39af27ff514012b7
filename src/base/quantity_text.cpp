#include "heed/base/quantity_text.h"

#include <fmt/format.h>

#include <cmath>

#include "heed/base/numbers.h"

namespace heed {

std::optional<double> parse_duration(std::string_view text) {
  constexpr std::string_view units = "smhd";
  constexpr double seconds[] = {1, 60, 3600, 86400};
  double total = 0;
  while (!text.empty()) {
    const size_t end = text.find_first_of(units);
    const std::optional<double> number = parse_number<double>(text.substr(0, end));
    if (!number || *number < 0) return {};
    total += *number * (end == std::string_view::npos ? 1 : seconds[units.find(text[end])]);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return total > 0 && std::isfinite(total) ? std::optional(total) : std::nullopt;
}

std::optional<int64_t> parse_bytes(std::string_view text) {
  constexpr std::string_view units = "KMGT";
  int shift = 0;
  if (!text.empty() && units.find(text.back()) != std::string_view::npos) {
    shift = 10 * (static_cast<int>(units.find(text.back())) + 1);
    text.remove_suffix(1);
  }
  const std::optional<double> number = parse_number<double>(text);
  constexpr double most = 0x1p60;
  const double bytes = number ? std::ldexp(*number, shift) : 0;
  return bytes >= 1 && bytes <= most ? std::optional(static_cast<int64_t>(bytes)) : std::nullopt;
}

std::string counted(int64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

}  // namespace heed
