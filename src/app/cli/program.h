// The command line: `heed COMMAND [FLAGS]`.
#pragma once

#include <string>
#include <vector>

#include "heed/app/cli/console.h"
#include "heed/base/communicator.h"

namespace heed {

constexpr int program_failed = 1;
constexpr int wrong_usage = 2;

// Runs the program with its arguments (without its own name) and returns the exit code: 0 done, 1
// failed, 2 wrong usage. Throws nothing. `train` and `translate` use many ranks; other commands run
// at rank 0 and do nothing elsewhere.
int run_program(const std::vector<std::string>& arguments, const Console& console,
                Communicator& ranks = alone());

}  // namespace heed
