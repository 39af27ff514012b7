// What a command has written, without what differs from run to run: the times of training.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "heed/base/files.h"

namespace heed::testing {

// Bytes of files by their names below a folder.
using FileBytes = std::map<std::string, std::string>;

inline std::string comparable_bytes(const std::string& name, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  // The state includes the seconds so far. Its other contents show in the final result.
  if (name.ends_with("training/state.safetensors")) return "a checkpoint";
  if (name.ends_with("training.jsonl"))
    return std::regex_replace(bytes, std::regex("\"seconds\":[^,}]*,"), "");
  return bytes;
}

inline FileBytes comparable_files(const std::filesystem::path& folder) {
  FileBytes files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    files[name] = comparable_bytes(name, entry.path());
  }
  return files;
}

// Files that are being written, or were when their writer was killed.
inline int partial_files_below(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code absent;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, absent))
    count += is_partial_file(entry.path());
  return count;
}

// Names the files that differ, not how.
inline ::testing::AssertionResult same_files(const FileBytes& found, const FileBytes& expected) {
  std::string differences;
  for (const auto& [name, bytes] : expected) {
    const auto other = found.find(name);
    if (other == found.end())
      differences += " " + name + " is missing;";
    else if (other->second != bytes)
      differences += " " + name + " differs;";
  }
  for (const auto& [name, bytes] : found)
    if (!expected.contains(name)) differences += " " + name + " is one too many;";
  if (differences.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << differences;
}

}  // namespace heed::testing
