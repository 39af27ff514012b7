// The ops of a room, read from its headers, so that a suite can prove that it covers every one of
// them.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

#include "paths.h"

namespace heed::testing {

// The name of the function that a line declares, if it is a free one whose result is, or holds, one
// of these types. Sources are formatted: a free function begins in the first column and a member
// does not.
inline std::optional<std::string> op_declared_by(const std::string& line,
                                                 const std::set<std::string>& types = {
                                                     "Variable"}) {
  if (line.empty() || line[0] == ' ' || line[0] == '/' || line[0] == '#') return std::nullopt;
  const size_t end = line.find('(');
  if (end == std::string::npos || end == 0) return std::nullopt;
  const size_t begin = line.find_last_of(" >&*", end) + 1;
  const std::string result = line.substr(0, begin);
  for (const std::string& type : types)
    if (result.find(type) != std::string::npos) return line.substr(begin, end - begin);
  return std::nullopt;
}

// Variable, and the structs of a header whose first field is one.
inline std::set<std::string> result_types_in(const std::filesystem::path& header) {
  std::set<std::string> types = {"Variable"};
  std::ifstream file(header);
  std::string owner;
  for (std::string line; std::getline(file, line);) {
    if (!owner.empty() && line.starts_with("  Variable ")) types.insert(owner);
    owner.clear();
    if (line.starts_with("struct ") && line.ends_with(" {"))
      owner = line.substr(7, line.size() - 9);
  }
  return types;
}

// Every op in src/<room>/*.h.
inline std::set<std::string> ops_of(const std::string& room) {
  std::set<std::string> ops;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(source_folder) + "/" + room)) {
    if (entry.path().extension() != ".h") continue;
    const std::set<std::string> types = result_types_in(entry.path());
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (const auto op = op_declared_by(line, types)) ops.insert(*op);
  }
  return ops;
}

}  // namespace heed::testing
