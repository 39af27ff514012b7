#include "heed/layers/parameter.h"

#include <fmt/format.h>

namespace heed {

std::string dotted(std::string_view prefix, std::string_view name) {
  return prefix.empty() ? std::string(name) : fmt::format("{}.{}", prefix, name);
}

}  // namespace heed
