// A command's flags in a file, one to a line, so that a run can be asked for again:
//   train = ["a.en", "a.de"]   # a list; the lines of a long one may be broken
//   steps = 1000
//   override = true
// Texts stand between double quotes, where \n, \t, \", \\ and \x1b are understood, between single
// quotes, where nothing is, or without quotes if they are one word.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

struct FlagOfFile {
  std::string name;  // without the two strokes in front
  std::vector<std::string> values;
  int line = 0;
};

// `file` is its name, for errors: a CLI::ParseError, since what is wrong is wrong usage.
std::vector<FlagOfFile> parse_flags(std::string_view text, const std::string& file);

// Adds --config and --print-config to a command that has no other flags yet. A flag of the command
// line comes before one of the environment, and that before one of the file; to print flags none of
// them is required.
void add_flag_file(CLI::App& command, bool& print_config);

// The flags that were given, wherever, as such a file.
std::string flags_as_file(const CLI::App& command);

}  // namespace heed
