// The command line: `heed COMMAND [FLAGS]`.
#pragma once

#include <string>
#include <vector>

#include "heed/app/cli/console.h"

namespace heed {

// Runs the program with its arguments (without its own name) and returns the exit code: 0 done, 1
// failed, 2 wrong usage. Throws nothing.
int run_program(const std::vector<std::string>& arguments, const Console& console);

}  // namespace heed
