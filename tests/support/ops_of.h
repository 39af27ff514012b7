// The ops of a room, read from its headers, so that a suite can prove that it covers every one of
// them.
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>

namespace heed::testing {

// The name of the function that a line declares, if it is a free one whose result holds a Variable.
// Sources are formatted: a free function begins in the first column and a member does not.
inline std::optional<std::string> op_declared_by(const std::string& line) {
  if (line.empty() || line[0] == ' ' || line[0] == '/' || line[0] == '#') return std::nullopt;
  const size_t end = line.find('(');
  const size_t begin = line.find_last_of(" >&*", end) + 1;
  if (end == std::string::npos || line.substr(0, begin).find("Variable") == std::string::npos)
    return std::nullopt;
  return line.substr(begin, end - begin);
}

// Every op in src/<room>/*.h.
inline std::set<std::string> ops_of(const std::string& room) {
  std::set<std::string> ops;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEED_SOURCES) + "/" + room)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      if (const auto op = op_declared_by(line)) ops.insert(*op);
  }
  return ops;
}

}  // namespace heed::testing
