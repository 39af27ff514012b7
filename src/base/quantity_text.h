// Times, sizes and counts as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heed {

// "90", "90s", "30m", "1h30m", "2d" -> seconds; "500M", "2G", … -> bytes. Nothing if the text is
// neither.
std::optional<double> parse_duration(std::string_view text);
std::optional<int64_t> parse_bytes(std::string_view text);

// "1 line", "2 lines".
std::string counted(int64_t number, std::string_view noun);

}  // namespace heed
