// The reference implementation of the scores.
#pragma once

#include <string_view>

namespace heed {

// The version of sacreBLEU that gives the same values; signatures name it.
constexpr std::string_view reproduced_version = "2.6.0";

}  // namespace heed
