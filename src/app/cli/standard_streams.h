// Standard input, output and error, which a program has once each.
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>

namespace heed {

// For main, first of all. A stream that the caller has closed is made one that fails when it is
// used; otherwise the next file that is opened would be taken for it.
void occupy_closed_streams();

// A check for the value of a flag: any name, but not none at all, as an unset variable of a shell
// gives.
CLI::Validator file_name();

// A flag and the file that it names.
struct FileFlag {
  std::string_view flag;
  std::string file;
};

// Throw CLI::ValidationError, one of usage, if more than one of these is standard input, or output.
void check_one_reads_standard_input(std::span<const FileFlag> flags);
void check_one_writes_standard_output(std::span<const FileFlag> flags);

}  // namespace heed
