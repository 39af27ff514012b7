// The ops of a room, read from its headers, so that a suite can prove that it covers every one of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace heed::testing {

// The names of the free functions in src/<room>/*.h whose result holds a Variable. Sources are formatted, so
// a free function begins at the first column and a member does not.
inline std::set<std::string> ops_of(const std::string& room) {
  static const std::regex op(R"((?:^|\n)[^\s/#()]*(?:\bVariable\b)[^\n;(]*?(\w+)\()");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(HEED_SOURCES) + "/" + room)) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    for (std::sregex_iterator match(text.begin(), text.end(), op), end; match != end; ++match)
      names.insert((*match)[1]);
  }
  return names;
}

}  // namespace heed::testing
