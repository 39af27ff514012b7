// Standard input, output and error: a program has one of each.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// Call first in main. A stream that the caller has closed is replaced by one that fails on use;
// otherwise the next file to be opened would take its place.
void occupy_closed_streams();

// Checks the value of a flag: any name, but not an empty one, as an unset shell variable gives.
CLI::Validator file_name();

// A flag and the file that it names.
struct FileFlag {
  std::string_view flag;
  std::string file;
};

// Throw CLI::ValidationError (wrong usage) if more than one of these is standard input, or output.
void check_one_reads_standard_input(std::span<const FileFlag> flags);
void check_one_writes_standard_output(std::span<const FileFlag> flags);

}  // namespace heed
