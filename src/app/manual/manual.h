// What the manual says about the program, read from the flag lists that its parser works with. Man
// pages, web pages and completions are all made of this, so none of them can miss a flag.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "heed/app/manual/manual_text.h"

namespace heed {

enum class ValueKind { none, any, file, folder, choice };

struct FlagManual {
  std::vector<std::string> names;  // "-h" and "--help"; the name alone of a positional argument
  bool is_positional = false;
  std::string value;  // "FILE", "text|tsv"; "[FILE]" if it may be left out; empty if there is none
  ValueKind kind = ValueKind::none;
  std::vector<std::string> choices;  // of a choice; one that ends with a colon goes on
  int most_values = 0;               // at a time
  bool value_is_optional = false;
  bool is_repeatable = false;
  bool is_required = false;
  std::string default_value, environment;
  std::vector<std::string> needs, excludes;  // names of other flags
  std::string description;
  std::string group;  // "Options", or the heading it stands under
};

// Flags that take more values than this take any number.
constexpr int many_values = 100;

struct CommandManual {
  std::string name, description;
  std::vector<FlagManual> flags;  // positional arguments first
  ManualText text;
};

struct ProgramManual {
  std::string name, description, version, date;
  std::vector<FlagManual> flags;
  std::vector<CommandManual> commands;
  ManualText text;
};

// Hidden commands and flags are left out.
ProgramManual read_manual(const CLI::App& program, const std::string& version,
                          const std::string& date);

// "--model DIR", "-h, --help", "FROM": as it stands in a list.
std::string heading_of(const FlagManual& flag);
// What it does, what it defaults to, and what it goes with, in sentences.
std::string details_of(const FlagManual& flag);
// "heed convert [OPTIONS] FROM TO"; flags that are required come before the others.
std::string usage_of(const ProgramManual& program, const CommandManual& command);

struct ExitStatus {
  std::string code, meaning;
};
// Of every command.
std::vector<ExitStatus> exit_statuses();

}  // namespace heed
