// Data that tests use if it is available, but that is not part of the project.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "paths.h"

namespace heed::testing {

// A folder of the data: in the one that HEED_DATA names, or in shared/data beside the project. It
// may be absent.
inline std::filesystem::path external_data(std::string_view folder) {
  const char* named = std::getenv("HEED_DATA");
  const std::filesystem::path beside =
      std::filesystem::path(source_folder).parent_path().parent_path() / "shared" / "data";
  return (named != nullptr ? std::filesystem::path(named) : beside) / folder;
}

}  // namespace heed::testing
