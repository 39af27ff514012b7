// What was wrong with the arguments of a command, as people say it. The parser's own words name
// its types and count what it expected.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed {

// "--beam: a value was expected". Sentences that the program's own checks have made stay as they
// are.
std::string usage_sentence(const CLI::ParseError& error);

}  // namespace heed
