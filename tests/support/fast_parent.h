// Where tests that write and sync much have their folders.
#pragma once

#include <unistd.h>

#include <filesystem>

namespace heed::testing {

// In memory, if the system has such a folder.
inline std::filesystem::path fast_parent() {
  const std::filesystem::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path();
}

}  // namespace heed::testing
