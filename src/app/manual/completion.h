// Scripts that let a shell complete commands, flags, their choices, files and folders.
#pragma once

#include <string>

#include "heed/app/manual/manual.h"

namespace heed {

std::string bash_completion(const ProgramManual& program);
std::string zsh_completion(const ProgramManual& program);
std::string fish_completion(const ProgramManual& program);

}  // namespace heed
