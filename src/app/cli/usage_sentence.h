// What was wrong with the arguments of a command, as people say it. The parser's own words name
// its types and count what it expected.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace heed {

// "--beam: a value was expected". Sentences that the program's own checks have made stay as they
// are.
std::string usage_sentence(const CLI::ParseError& error);

// "there is no flag \"--baem\"", about the first of these arguments that looks like one.
std::optional<std::string> unknown_flag(const std::vector<std::string>& words);

}  // namespace heed
