// The flags of a command in a file, one per line, so that a run can be repeated:
//   train = ["a.en", "a.de"]   # a list; the lines of a long one may be broken
//   steps = 1000
//   override = true
// Texts are in double quotes, where \n, \t, \", \\ and \x1b are escapes, in single quotes without
// escapes, or bare if they are one word.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct FlagOfFile {
  std::string name;  // without the leading dashes
  std::vector<std::string> values;
  int line = 0;
};

// `file` is the name for errors, which are CLI::ParseError: they count as wrong usage.
std::vector<FlagOfFile> parse_flags(std::string_view text, const std::string& file);

// Adds --config and --print-config to a command that has no other flags yet. Flags win over the
// environment, which wins over the file. With --print-config, no flag is required.
void add_flag_file(CLI::App& command, bool& print_config);

// The flags that were given, from whatever source, as such a file.
std::string flags_as_file(const CLI::App& command);

}  // namespace heed
